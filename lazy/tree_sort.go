package lazy

import (
	"context"
	"math"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

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

// sort sorts the children of n, and loads the first of them.
func (so *sorter) sort(ctx context.Context, n *Node, progress Progress) error {
	timed := so.r.Timed()
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
	if w.epoch != so.now.Epoch || n.forgotten() {
		so.mu.Unlock()
		return trace.ErrStale
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

// loadGap is Load for a gap of a sorted node.
func (so *sorter) loadGap(ctx context.Context, gap Row, end End) error {
	n := gap.Parent
	so.mu.Lock()
	s := n.sorting()
	if s == nil {
		so.mu.Unlock()
		return nil
	}
	var now Row
	var ok bool
	if end == AtStart {
		now, ok = s.after(n, gap.lo)
	} else {
		now, ok = s.upTo(n, gap.hi)
	}
	if !ok || !now.ranked() {
		so.mu.Unlock()
		return nil
	}
	o, from, to := s.absentIn(now)
	so.mu.Unlock()
	if o == nil {
		w := sortWalk{timed: s.timed, hidden: s.hidden, thread: n.thread, lo: now.lo, hi: now.hi, from: now.lo, last: end == AtEnd}
		var err error
		if o, err = so.arrange(ctx, n, s, &w); o == nil || err != nil {
			return err
		}
		from, to = 0, len(o.list)
	}
	return so.load(ctx, n, o, from, to, end)
}

// absentIn returns the range that contains a gap, with its indexes there: nil if
// the gap is between ranges.
func (s *sorting) absentIn(gap Row) (o *ordered, from, to int) {
	for _, o := range s.ranges {
		if o.lo.before(gap.hi) && !o.hi.before(gap.hi) && !gap.lo.before(o.lo) {
			return o, o.firstAfter(gap.lo), o.firstAfter(gap.hi)
		}
	}
	return nil, 0, 0
}

// arrange does a walk for a gap between ranges and adds the range that it
// finds, which it returns: nil if the order has changed meanwhile.
func (so *sorter) arrange(ctx context.Context, n *Node, s *sorting, w *sortWalk) (*ordered, error) {
	w.most, w.until = so.maxRange, s.limit
	if err := so.collect(ctx, n, w, nil); err != nil {
		return nil, err
	}
	so.mu.Lock()
	defer so.mu.Unlock()
	if n.sorting() != s || w.epoch != so.now.Epoch || w.stamp != s.stamp || n.forgotten() {
		return nil, nil
	}
	s.left = w.out
	return so.memory.addRange(s, w), nil
}

// load loads up to a slab of the children in a range, from the start or
// the end of the indexes from to to.
func (so *sorter) load(ctx context.Context, n *Node, o *ordered, from, to int, end End) error {
	if end == AtStart {
		to = min(to, from+slabNodes)
	} else {
		from = max(from, to-slabNodes)
	}
	var list []*childRun
	err := so.read(n, func(l *nodeReader) error {
		for _, c := range o.list[from:to] {
			if err := ctx.Err(); err != nil {
				return err
			}
			at, err := l.Begin(ctx, c.at-c.lead, c.ord)
			if err != nil {
				return err
			}
			s := l.newRun(at.Pos, at.Ord)
			read, err := l.Child(at)
			if err != nil {
				return err
			}
			s.to, s.toOrd = read.Next.Pos, read.Next.Ord
			if read.Shown {
				s.list = []*walk.NodeData{read.Data}
			}
			list = append(list, s)
		}
		return nil
	})
	if err != nil {
		return err
	}
	so.mu.Lock()
	defer so.mu.Unlock()
	// Attach the most wanted last: they stay if not all fit into the budget.
	for i := range list {
		if end == AtStart {
			i = len(list) - 1 - i
		}
		so.memory.attach(n, list[i], so.now)
	}
	return nil
}

// reveal makes the rank of a child of a sorted node known, which may take
// a walk over all children.
func (so *sorter) reveal(ctx context.Context, n, c *Node) error {
	so.mu.Lock()
	s := n.sorting()
	if s == nil {
		so.mu.Unlock()
		return nil
	}
	var w *sortWalk
	if x, sorted := s.rankOf(c); sorted {
		if r, ok := s.after(n, x.justBefore()); ok && r.ranked() {
			if o, _, _ := s.absentIn(r); o == nil {
				w = &sortWalk{timed: s.timed, hidden: s.hidden, thread: n.thread, lo: r.lo, hi: r.hi, from: x.justBefore()}
			}
		}
	}
	so.mu.Unlock()
	if w == nil {
		return nil
	}
	_, err := so.arrange(ctx, n, s, w)
	return err
}
