package filter

import "tracex/format"

// Facts are what is known about one trace point. A filter looks only at those that its Needs tell, and
// at Point, Parent and Thread. Facts that are not known make comparisons with them false.
type Facts struct {
	Point      *format.Point
	Footer     *format.Footer // nil if there is none, or it is not known
	Unfinished bool           // the container has no footer in the trace
	Parent     format.Parent
	Thread     int32 // of the block; a live breakpoint may name another
	Known      Known // which of the numbers below are known
	Depth      int   // calls, loops and iterations around the point
	At         int64 // when it began: nanoseconds since the trace began
	Duration   int64 // of a container, nanoseconds
	Self       int64 // of a container: without the calls in it
	Kids       int64 // of a container: points directly in it
	Size       int64 // of a container: its bytes in the trace, with everything in it
	// Text returns the text of the point's row, valid until the next call. If it is nil the filter
	// writes the text as [format.Context.AppendText] does.
	Text func() []byte
	// In and Has tell for each filter of Subs whether it holds: for an ancestor of the point, and for
	// a point below it.
	In, Has []bool
}

// Known is a set of facts.
type Known uint8

const (
	KnownDepth Known = 1 << iota
	KnownAt
	KnownDuration
	KnownSelf
	KnownKids
	KnownSize
)

func threw(f *format.Footer) bool { return f.Threw || f.Exception != "" }

// ended reports whether a footer, which may be nil, is that of a call that returned or threw.
func ended(f *format.Footer) bool {
	return f != nil && (threw(f) || f.Result.Kind != format.ValueUnfinished)
}
