package times

import (
	"math"

	"tracex/format"
)

// Time says when something was, in nanoseconds.
type Time struct {
	Start    int64 // since the anchor of the trace's times
	Duration int64 // negative: not known
}

// None is the time of what has none.
var None = Time{Duration: format.NoDuration}

// End is when it was over.
func (t Time) End() int64 { return t.Start + t.Duration }

// Of returns the time of a cell. ok is false when it has none that can be true.
func Of(c format.TimeCell) (t Time, ok bool) {
	if !c.Known() || c.Start < 0 || c.Start > math.MaxInt64-c.Duration {
		return None, false
	}
	return Time{Start: c.Start, Duration: c.Duration}, true
}
