package index

import "tracex/format"

// Tally counts the contents of a thread's stream, up to a size.
type Tally struct {
	Size int64 // bytes of the stream that were counted
	Counts
}

// Counts are numbers of trace points.
type Counts struct {
	Calls  int64
	Events int64
}

// Count counts a trace point.
func (t *Counts) Count(c format.Class) {
	t.Events++
	if c == format.ClassCall {
		t.Calls++
	}
}
