package lazy

import (
	"context"
	"errors"
	"math"
)

// Order is an order in which a node shows its children.
type Order int

const (
	OrderCalls    Order = iota // as they were recorded
	OrderDuration              // the longest first; those without a time last, as recorded
)

// errNoTimes: the trace has no times to sort by.
var errNoTimes = errors.New("the trace has no times")

// How much of the order of a sorted node is known at a time: so many ranges of
// so many children each. What lies between them is found again when it is asked
// for, by a walk over all children.
const (
	rangeChildren = 10_000
	maxRanges     = 8
)

// rank is the place of a child in the order of its node. Ranks of ranges and
// gaps are bounds: of what lies behind one, up to and with the other.
type rank struct {
	duration int64 // NoDuration comes last
	at       int64 // logical: where the child stands
}

var (
	firstRank = rank{math.MaxInt64, -1} // before all
	lastRank  = rank{math.MinInt64, math.MaxInt64}
)

func (a rank) before(b rank) bool {
	return a.duration > b.duration || a.duration == b.duration && a.at < b.at
}

// justBefore returns the bound behind which a is the first.
func (a rank) justBefore() rank { return rank{a.duration, a.at - 1} }

// ranked is a child in its place.
type ranked struct {
	rank
	ord  int64 // of the first cell that ends at or behind the child
	lead int64 // bytes of reference objects before the child
}

// sorting is what is known of the order of a node's children. It is guarded by
// the tree's lock.
//
// Only children before limit are sorted: those whose times were known when the
// node was. What has come since follows, as recorded.
type sorting struct {
	limit, ord int64 // logical; ordinal of the first cell that ends at or behind it
	ranges     []*ordered
	// between counts the shown children that lie before each range, and behind
	// the last; -1: not known.
	between []int64
	uses    uint64
}

// sorting returns how the children of n are sorted: nil when they are not. The
// tree is locked.
func (n *Node) sorting() *sorting {
	if n.kids == nil || n.kids.sorted == nil || !n.tree.r.timed() {
		return nil
	}
	return n.kids.sorted
}

// Order returns the order in which n shows its children.
func (n *Node) Order() Order {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	if n.sorting() != nil {
		return OrderDuration
	}
	return OrderCalls
}

// Sort puts the children of n into an order: rows come in it from now on, while
// Children, Range and Child go on to count as recorded. It looks at all children
// once, without loading them, and keeps the place of the first 10,000, fewer
// where the budget is small; more are found when the gap behind them is loaded,
// by another look. Of a node that still grows, what comes later follows as
// recorded, until it is sorted again.
func (t *Tree) Sort(ctx context.Context, n *Node, o Order, progress Progress) error {
	if o == OrderCalls {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.unsort(n)
		return nil
	}
	if _, ok := t.r.Times(); !ok {
		return errNoTimes
	}
	w := sortWalk{lo: firstRank, hi: lastRank, from: firstRank, most: t.most, until: math.MaxInt64}
	if err := t.collect(ctx, n, &w, progress); err != nil {
		return err
	}
	t.mu.Lock()
	if w.epoch != t.now.epoch || n.gone() {
		t.mu.Unlock()
		return errStale
	}
	t.unsort(n)
	if n.kids == nil {
		n.kids = new(kids)
	}
	s := &sorting{limit: w.limit, ord: w.ord, between: []int64{-1}}
	n.kids.sorted = s
	first := t.memory.addRange(s, &w)
	t.mu.Unlock()
	return t.loadRanked(ctx, n, first, 0, len(first.list), AtStart)
}

// use notes that a range is used.
func (s *sorting) use(o *ordered) {
	s.uses++
	o.used = s.uses
}

// unsort has the rows of n come as recorded.
func (t *Tree) unsort(n *Node) {
	if n.kids == nil || n.kids.sorted == nil {
		return
	}
	t.memory.dropRanges(n)
	n.kids.sorted = nil
}
