package lazy

import "tracex/format"

// after returns the first row of a sorted node after a rank.
func (s *sorting) after(n *Node, x rank) (Row, bool) {
	for i, o := range s.ranges {
		if x.before(o.lo) {
			return s.gapBefore(n, i), true
		}
		if !x.before(o.hi) {
			continue
		}
		for at := o.firstAfter(x); at < len(o.list); at++ {
			if r, ok := s.rowIn(n, o, at); ok {
				return r, true
			}
		}
		x = o.hi
	}
	if x.before(lastRank) {
		return s.gapBefore(n, len(s.ranges)), true
	}
	return n.rowAt(s.limit)
}

// upTo returns the last row of a sorted node at or before a rank.
func (s *sorting) upTo(n *Node, x rank) (Row, bool) {
	for i := len(s.ranges) - 1; i >= 0; i-- {
		o := s.ranges[i]
		if o.hi.before(x) {
			return s.gapBefore(n, i+1), true
		}
		if !o.lo.before(x) {
			continue
		}
		for at := o.firstAfter(x) - 1; at >= 0; at-- {
			if r, ok := s.rowIn(n, o, at); ok {
				return r, true
			}
		}
		x = o.lo
	}
	if firstRank.before(x) {
		return s.gapBefore(n, 0), true
	}
	return Row{}, false
}

// gapBefore returns the gap before a range, or after the last.
func (s *sorting) gapBefore(n *Node, i int) Row {
	lo, hi := firstRank, lastRank
	if i > 0 {
		lo = s.ranges[i-1].hi
	}
	if i < len(s.ranges) {
		hi = s.ranges[i].lo
	}
	return n.sortedGap(lo, hi, s.between[i])
}

// rowIn returns the row of a child in a range: a gap if it and its neighbors are not
// in memory. ok is false if the child is not shown after all.
func (s *sorting) rowIn(n *Node, o *ordered, i int) (Row, bool) {
	s.use(o)
	if p, _ := n.covering(o.list[i].at); p != nil {
		k := p.node(o.list[i].at)
		if k == len(p.nodes) || p.nodes[k].e.Load().At != o.list[i].at {
			return Row{}, false
		}
		return rowOf(p.nodes[k]), true
	}
	from, to := n.absent(o, i)
	lo := o.lo
	if from > 0 {
		lo = o.list[from-1].rank
	}
	return n.sortedGap(lo, o.list[to-1].rank, int64(to-from)), true
}

// absent returns the indexes around i whose children are not in memory, within
// one slab.
func (n *Node) absent(o *ordered, i int) (from, to int) {
	start := i / slabNodes * slabNodes
	end := min(start+slabNodes, len(o.list))
	missing := func(i int) bool {
		p, _ := n.covering(o.list[i].at)
		return p == nil
	}
	for from = i; from > start && missing(from-1); {
		from--
	}
	for to = i + 1; to < end && missing(to); {
		to++
	}
	return from, to
}

// rankOf returns the rank of a child of a sorted node; ok is false if the child was
// added after sorting.
func (s *sorting) rankOf(c *Node) (x rank, ok bool) {
	e := c.e.Load()
	if e.At >= s.limit {
		return x, false
	}
	for _, o := range s.ranges {
		if i, ok := o.find(e.At); ok {
			return o.list[i].rank, true
		}
	}
	x = rank{nestedBut(e, s.hidden, c.thread), e.At}
	if s.timed {
		x.weight = format.NoDuration
		if t, ok := c.Time(); ok {
			x.weight = t.Duration
		}
	}
	return x, true
}

// next is nextSibling, in a sorted node.
func (s *sorting) next(r Row) (Row, bool) {
	switch {
	case r.ranked():
		return s.after(r.Parent, r.hi)
	case r.Node != nil:
		if x, ok := s.rankOf(r.Node); ok {
			return s.after(r.Parent, x)
		}
		return r.Parent.rowAt(r.Node.e.Load().Next)
	}
	return r.Parent.rowAt(max(r.To, s.limit))
}

// prev is prevSibling, in a sorted node.
func (s *sorting) prev(r Row) (Row, bool) {
	switch {
	case r.ranked():
		return s.upTo(r.Parent, r.lo)
	case r.Node != nil:
		if x, ok := s.rankOf(r.Node); ok {
			return s.upTo(r.Parent, x.justBefore())
		}
	}
	return s.before(r.Parent, r.From)
}

// before returns the last row of a sorted node before a logical offset in its
// unsorted part.
func (s *sorting) before(n *Node, pos int64) (Row, bool) {
	switch r, ok := n.rowBefore(pos); {
	case !ok || pos <= s.limit:
	case r.Gap() && r.To > s.limit:
		r.From = max(r.From, s.limit)
		return r, true
	case !r.Gap() && r.From >= s.limit:
		return r, true
	}
	return s.upTo(n, lastRank)
}

// resolve is Resolve for a row of a sorted node that is expanded.
func (s *sorting) resolve(r Row) (Row, bool) {
	n := r.Parent
	if !r.ranked() {
		if r.From >= s.limit {
			return n.rowAt(r.From)
		}
		if r.Node == nil {
			return s.after(n, firstRank)
		}
		x, _ := s.rankOf(r.Node)
		return s.after(n, x.justBefore())
	}
	return s.after(n, r.lo)
}

// sorting returns the sorting of n's children: nil if they are not sorted. The
// loader is locked.
func (n *Node) sorting() *sorting {
	if n.kids == nil || n.kids.sorted == nil || n.kids.sorted.timed != n.loader.r.Timed() {
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
