package lazy

import (
	"context"
	"errors"
	"math"
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
	timed      bool    // the weights are durations
	hidden     *hidden // what does not count in weights that are no durations; nil if not known
	limit, ord int64   // logical; ordinal of the first cell that ends at or after limit
	ranges     []*ordered
	// between counts the shown children before each range, and after the last;
	// -1 if not known.
	between []int64
	uses    uint64

	// In a tree that shows only some places, the ranges have the children with places.
	stamp uint32 // of the view that they were sorted in; 0 for all children
	left  int64  // how many shown children are left out; -1 if not known
}

// sorting returns the sorting of n's children: nil if they are not sorted. The
// loader is locked.
func (n *Node) sorting() *sorting {
	if n.kids == nil || n.kids.sorted == nil || n.kids.sorted.timed != n.loader.r.timed() {
		return nil
	}
	s := n.kids.sorted
	if stamp := n.loader.view.sortedAs(n); s.stamp != stamp {
		n.loader.memory.dropRanges(n)
		s.stamp, s.left, s.between = stamp, -1, []int64{-1}
	}
	return s
}

// Order returns the order in which n shows its children.
func (n *Node) Order() Order {
	n.loader.mu.Lock()
	defer n.loader.mu.Unlock()
	if n.sorting() != nil {
		return OrderWeight
	}
	return OrderCalls
}

// Sort puts the children of n into an order: from then on rows have this order, while
// Children, Range and Child still count in recorded order. It walks over all children
// once, without loading them, and keeps the ranks of the first 10,000, fewer if the
// budget is small; loading the gap after them takes another walk. Children added to a
// growing node after Sort follow as recorded, until it is sorted again.
func (t *Tree) Sort(ctx context.Context, n *Node, o Order, progress Progress) error {
	if o == OrderCalls {
		t.sorter.unsort(n)
		return nil
	}
	return t.sorter.sort(ctx, n, progress)
}

// sorter orders the children of nodes by their weights, and loads children by their
// rank. What it knows of an order is in the node and within the loader's budget.
type sorter struct {
	*loader
	maxRange int // maximum number of children in a range of a sorted node
}

// sort sorts the children of n, and loads the first of them.
func (so *sorter) sort(ctx context.Context, n *Node, progress Progress) error {
	timed := so.r.timed()
	if !timed {
		if err := so.countHidden(ctx); err != nil {
			return err
		}
	}
	w := sortWalk{timed: timed, hidden: so.hiddenFor(), thread: n.thread, lo: firstRank, hi: lastRank, from: firstRank, most: so.maxRange, until: math.MaxInt64}
	if err := so.collect(ctx, n, &w, progress); err != nil {
		return err
	}
	so.mu.Lock()
	if w.epoch != so.now.epoch || n.forgotten() {
		so.mu.Unlock()
		return errStale
	}
	if n.kids == nil {
		n.kids = new(kids)
	}
	so.memory.dropRanges(n)
	s := &sorting{timed: w.timed, hidden: w.hidden, limit: w.limit, ord: w.ord, between: []int64{-1}, stamp: w.stamp, left: w.out}
	n.kids.sorted = s
	first := so.memory.addRange(s, &w)
	so.mu.Unlock()
	return so.load(ctx, n, first, 0, len(first.list), AtStart)
}

// use marks a range as used.
func (s *sorting) use(o *ordered) {
	s.uses++
	o.used = s.uses
}

// unsort returns the rows of n to recorded order.
func (so *sorter) unsort(n *Node) {
	so.mu.Lock()
	defer so.mu.Unlock()
	if n.kids == nil || n.kids.sorted == nil {
		return
	}
	so.memory.dropRanges(n)
	n.kids.sorted = nil
}
