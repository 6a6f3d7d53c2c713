package query

import (
	"encoding/binary"

	"tracex/lazy/internal/decode"
	"tracex/lazy/query/histogram"
)

// Sums are what is known about the calls of a group. Points are what people see as events.
type Sums struct {
	Calls int64
	Threw int64
	// Self is the time of the calls without that of the calls directly in them; Total is that of
	// outermost calls: those within no other call of the group, which topPart.admit finds. Both are in nanoseconds.
	Self, Total int64
	// Waiting is the part of Total in which goroutines waited, see [format.Wait], in nanoseconds.
	Waiting int64
	// Own is the number of points of the calls, and in their loops, that are not in calls in them;
	// Points that of outermost calls and of all points below them. A call is a point itself.
	Own, Points int64
	// Took is the sum of the durations of all counted calls that have one, and their number.
	Took, Timed int64
	Max         int64
	Unended     int64 // calls that never ended
	// Merged is the number of calls that steps merged into calls of the group; Dropped that of calls
	// that steps dropped below outermost calls of the group.
	Merged, Dropped int64
}

func (s *Sums) add(o *Sums) {
	s.Calls += o.Calls
	s.Threw += o.Threw
	s.Self += o.Self
	s.Total += o.Total
	s.Waiting += o.Waiting
	s.Own += o.Own
	s.Points += o.Points
	s.Took += o.Took
	s.Timed += o.Timed
	s.Max = max(s.Max, o.Max)
	s.Unended += o.Unended
	s.Merged += o.Merged
	s.Dropped += o.Dropped
}

// sums returns what was added to the sums of a group since.
func (s *Sums) since(before *Sums) StackSums {
	return StackSums{Calls: s.Calls - before.Calls, Self: s.Self - before.Self, Own: s.Own - before.Own}
}

// Totals are sums over all groups.
type Totals struct {
	Calls   int64
	Points  int64 // all points, also outside calls; with a filter those of roots
	Time    int64 // of roots: calls that are in no other call that counts
	Unended int64 // calls that never ended
	Untimed int64 // calls without a time, in a trace with times
	// Shorter is the number of calls that took less time than the calls in them: their clocks
	// disagree.
	Shorter int64
	// Outside is what merged calls added to no call, as none is around them.
	Outside StackSums
}

func (t *Totals) add(o *Totals) {
	t.Calls += o.Calls
	t.Points += o.Points
	t.Time += o.Time
	t.Unended += o.Unended
	t.Untimed += o.Untimed
	t.Shorter += o.Shorter
	t.Outside.add(&o.Outside)
}

// topRow is what is known about a group.
type topRow struct {
	Sums
	times histogram.Histogram
}

// shown reports whether a table has the row.
func (r *topRow) shown() bool { return r.Calls > 0 || r.Total > 0 }

// stored are the sums that tables have, in their order.
func (s *Sums) stored() []*int64 {
	return []*int64{&s.Calls, &s.Threw, &s.Self, &s.Total, &s.Waiting, &s.Own, &s.Points, &s.Took, &s.Timed, &s.Max, &s.Unended}
}

// stored are the sums that tables have, in their order.
func (t *Totals) stored() []*int64 {
	return []*int64{&t.Calls, &t.Points, &t.Time, &t.Unended, &t.Untimed, &t.Shorter}
}

// fields returns all sums.
func (s *Sums) fields() []*int64 { return append(s.stored(), &s.Merged, &s.Dropped) }

func appendNumbers(b []byte, list []*int64) []byte {
	for _, n := range list {
		b = binary.AppendVarint(b, *n)
	}
	return b
}

// tablesReader reads the tables of a summary, see storedTops.encode, until something is bad.
type tablesReader struct{ decode.Reader }

func (x *tablesReader) numbers(list []*int64) {
	for _, n := range list {
		*n = x.Signed()
	}
}
