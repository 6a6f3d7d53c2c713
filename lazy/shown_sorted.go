package lazy

import "slices"

// A sorted node that shows only some of its places: first its children with places in order, then a
// row for all others, then those added since it was sorted.

// sortedAs returns the stamp of a sorting of n that fits the view.
func (v *view) sortedAs(n *Node) uint32 {
	if v.within(n) {
		return v.stamp
	}
	return 0
}

// only returns a function for any goroutine that reports whether a child of n is shown; nil if all are.
func (v *view) only(n *Node) func(c *nodeData) bool {
	if !v.within(n) {
		return nil
	}
	own := &view{wanted: wanted{places: v.places}, threads: v.threads, opened: slices.Clone(v.opened)}
	if list := v.too[n.thread]; len(list) > 0 {
		own.too = map[int32][]int64{n.thread: slices.Clone(list)}
	}
	return func(c *nodeData) bool {
		if _, ok := own.first(n.thread, c.at, c.next); ok {
			return true
		}
		o := own.openedAt(n, c.at, 1)
		return o != nil && o.from <= c.at
	}
}

// onlyIn is view.only.
func (ld *loader) onlyIn(n *Node) func(c *nodeData) bool {
	ld.mu.Lock()
	defer ld.mu.Unlock()
	return ld.view.only(n)
}

// ranked returns the first row of a sorted node after a rank.
func (v *view) ranked(s *sorting, n *Node, x rank) (Row, bool) {
	if r, ok := s.after(n, x); ok && (r.ranked() || r.Node != nil && r.From < s.limit) {
		return r, true
	}
	if r, ok := v.others(s, n); ok {
		return r, true
	}
	return v.childAt(n, s.limit)
}

// others returns the row of the sorted children that are left out.
func (v *view) others(s *sorting, n *Node) (Row, bool) {
	start := n.e.Load().start
	if s.left == 0 || s.limit <= start {
		return Row{}, false
	}
	return v.left(n, start, s.limit), true
}

// rankedAfter is after.
func (v *view) rankedAfter(s *sorting, r Row) (Row, bool) {
	n := r.Parent
	switch {
	case r.ranked():
		return v.ranked(s, n, r.hi)
	case r.Node != nil:
		if x, ok := s.rankOf(r.Node); ok {
			return v.ranked(s, n, x)
		}
	}
	return v.childAt(n, max(endOf(r), s.limit))
}

// rankedPrev is before.
func (v *view) rankedPrev(s *sorting, r Row) (Row, bool) {
	switch {
	case r.ranked():
		return s.upTo(r.Parent, r.lo)
	case r.Node != nil:
		if x, ok := s.rankOf(r.Node); ok {
			return s.upTo(r.Parent, x.justBefore())
		}
	case r.From < s.limit:
		return s.upTo(r.Parent, lastRank)
	}
	return v.rankedBefore(s, r.Parent, r.From)
}

// rankedBefore returns the last row of a sorted node before an offset in its unsorted part.
func (v *view) rankedBefore(s *sorting, n *Node, pos int64) (Row, bool) {
	if pos > s.limit {
		if r, ok := v.childBefore(n, s.limit, pos); ok {
			return r, true
		}
	}
	if r, ok := v.others(s, n); ok {
		return r, true
	}
	return s.upTo(n, lastRank)
}

// resolveRanked is resolveIn.
func (v *view) resolveRanked(r Row) (Row, bool) {
	n := r.Parent
	s := n.sorting()
	switch {
	case r.ranked():
		return v.ranked(s, n, r.lo)
	case r.From >= s.limit:
		return v.around(n, s.limit, r.From)
	case r.Left != 0 || r.Node != nil && !v.shows(r.Node):
		if r, ok := v.others(s, n); ok {
			return r, true
		}
	case r.Node != nil:
		x, _ := s.rankOf(r.Node)
		return v.ranked(s, n, x.justBefore())
	}
	return v.ranked(s, n, firstRank)
}
