package lazy

import (
	"errors"
	"math"
	"slices"
	"sort"
	"tracex/lazy/internal/trace"
)

// Order is an order in which a node shows its children.
type Order int

const (
	OrderCalls Order = iota // as they were recorded
	// OrderWeight is the longest first; those without a time last, as recorded. In a trace without
	// times, those that contain the most come first: see [Node.Nested].
	OrderWeight
)

// errWeights: while children were sorted by their durations, the trace lost its times, or it got them.
var errWeights = errors.New("the times of the trace have just become known, or were lost: sort again")

// These limit how much of the order of a sorted node is known at a time: a number of
// ranges with a number of children each. The children between them are found again on
// demand, by a walk over all children.
const (
	rangeChildren = 10_000
	maxRanges     = 8
)

// rank is the position of a child in the order of its node. A range or gap covers the
// ranks in (lo, hi].
type rank struct {
	weight int64 // a duration, or a number; NoDuration sorts last
	at     int64 // logical offset of the child
}

var (
	firstRank = rank{math.MaxInt64, -1} // before all others
	lastRank  = rank{math.MinInt64, math.MaxInt64}
)

func (a rank) before(b rank) bool {
	return a.weight > b.weight || a.weight == b.weight && a.at < b.at
}

// justBefore returns the bound for a range whose first rank is a.
func (a rank) justBefore() rank { return rank{a.weight, a.at - 1} }

// ranked is a child with its rank.
type ranked struct {
	rank
	ord  int64 // of the first cell that ends at or after the child
	lead int64 // size in bytes of the reference objects before the child
}

// sorting is what is known of the order of a node's children. It is guarded by
// the loader's lock.
//
// Only children before limit are sorted: those whose times were known when the
// node was sorted. Later children follow, as recorded.
type sorting struct {
	timed      bool          // the weights are durations
	hidden     *trace.Hidden // what does not count in weights that are no durations; nil if not known
	limit, ord int64         // logical; ordinal of the first cell that ends at or after limit
	ranges     []*ordered
	// between counts the shown children before each range, and after the last;
	// -1 if not known.
	between []int64
	uses    uint64

	// In a tree that shows only some places, the ranges have the children with places.
	stamp uint32 // of the view that they were sorted in; 0 for all children
	left  int64  // how many shown children are left out; -1 if not known
}

// use marks a range as used.
func (s *sorting) use(o *ordered) {
	s.uses++
	o.used = s.uses
}

// ordered is a range of the order: all shown children whose ranks are in (lo, hi].
type ordered struct {
	lo, hi rank
	list   []ranked
	byAt   []int32 // indexes into list, by rank.at
	used   uint64  // value of sorting.uses at its last use
}

// rangeSize is the memory that a child takes in a range, in bytes.
const rangeSize = 32 + 4

func newOrdered(lo, hi rank, list []ranked) *ordered {
	o := &ordered{lo: lo, hi: hi, list: list, byAt: make([]int32, len(list))}
	for i := range o.byAt {
		o.byAt[i] = int32(i)
	}
	slices.SortFunc(o.byAt, func(a, b int32) int { return int(sign(list[a].at - list[b].at)) })
	return o
}

func sign(n int64) int64 {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func (o *ordered) bytes() int64 { return 128 + rangeSize*int64(len(o.list)) }

// find returns the index of the child at a logical offset.
func (o *ordered) find(at int64) (int, bool) {
	i := sort.Search(len(o.byAt), func(i int) bool { return o.list[o.byAt[i]].at >= at })
	if i == len(o.byAt) || o.list[o.byAt[i]].at != at {
		return 0, false
	}
	return int(o.byAt[i]), true
}

// firstAfter returns the index of the first child after a bound.
func (o *ordered) firstAfter(x rank) int {
	return sort.Search(len(o.list), func(i int) bool { return x.before(o.list[i].rank) })
}
