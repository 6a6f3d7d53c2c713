package times

import (
	"math"

	"tracex/format"
)

// Time is when something began and how long it took, in nanoseconds.
type Time struct {
	Start    int64 // since the anchor of the trace's times
	Duration int64 // negative if not known
}

// None is the Time of something without a time.
var None = Time{Duration: format.NoDuration}

// End returns when it ended.
func (t Time) End() int64 { return t.Start + t.Duration }

// Of returns the time of a cell. ok is false if it has no plausible time.
func Of(c format.TimeCell) (t Time, ok bool) {
	if !c.Known() || c.Start < 0 || c.Start > math.MaxInt64-c.Duration {
		return None, false
	}
	return Time{Start: c.Start, Duration: c.Duration}, true
}
