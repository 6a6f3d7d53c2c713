package lazy

// The rows of a tree that shows only some places. The loader is locked.
//
// Between two rows with nodes, or gaps, there is at most one row for what is left out. It reaches
// from the end of the child before it to the beginning of the one after it, so that walking back
// meets the same rows as walking forward.

// open reports whether the children of a node are rows.
func (w *roots) open(n *Node) bool {
	if w.view.within(n) {
		return !w.view.folded(n)
	}
	return n.expanded()
}

// after returns the index of the thread after a row.
func (w *roots) after(r Row) int {
	switch {
	case r.Node != nil:
		return w.index(r.Node.thread) + 1
	case r.Left != 0:
		return int(r.To)
	}
	return w.len()
}

// before returns the index of the thread of a row, or of its first.
func (w *roots) before(r Row) int {
	switch {
	case r.Node != nil:
		return w.index(r.Node.thread)
	case r.Left != 0:
		return int(r.From)
	}
	return 0
}

// threadAt returns the row of the i-th thread, or of those from the i-th on that are left out.
func (w *roots) threadAt(i int) (Row, bool) {
	v := w.view
	if i < 0 || i >= w.len() {
		return Row{}, false
	}
	if v == nil {
		return rowOf(w.at(i)), true
	}
	next := w.len()
	if id, ok := v.nextThread(w.id(i)); ok {
		next = w.index(id)
	}
	for _, o := range v.opened {
		if o.in == threadRun && o.to > int64(i) {
			next = min(next, max(i, int(o.from)))
		}
	}
	if next == i {
		return rowOf(w.at(i)), true
	}
	return w.leftThreads(i, next), true
}

// threadBefore returns the row before the i-th thread.
func (w *roots) threadBefore(i int) (Row, bool) {
	v := w.view
	if i <= 0 || i > w.len() {
		return Row{}, false
	}
	if v == nil {
		return rowOf(w.at(i - 1)), true
	}
	last := -1
	if id, ok := v.prevThread(w.id(i - 1)); ok {
		if last = w.index(id); last >= w.len() || w.id(last) != id {
			last--
		}
	}
	for _, o := range v.opened {
		if o.in == threadRun && o.from < int64(i) {
			last = max(last, min(i-1, int(o.to)-1))
		}
	}
	if last == i-1 {
		return rowOf(w.at(last)), true
	}
	return w.leftThreads(last+1, i), true
}

// leftThreads returns the row of the threads from the one with the index from to that before to.
func (w *roots) leftThreads(from, to int) Row {
	r := Row{From: int64(from), To: int64(to), Left: LeftOut}
	if last := w.id(to - 1); w.view.places.Known(last) < w.at(to-1).e.Load().End {
		r.Left = LeftOpen
	}
	return r
}

// resolveThread is Resolve for the row of a thread, or of some that are left out.
func (w *roots) resolveThread(r Row) Row {
	i := w.before(r)
	if n := r.Node; n != nil && w.view.shows(n) {
		return r
	}
	for {
		// The run around the i-th thread begins after the last thread shown.
		from := 0
		if before, ok := w.threadBefore(i); ok && w.view != nil {
			if from = w.after(before); before.Left != 0 {
				from = int(before.From)
			}
		} else if w.view == nil {
			from = i
		}
		if at, ok := w.threadAt(from); ok {
			return at
		}
		if i == 0 {
			return Row{}
		}
		i = 0
	}
}

// firstIn returns the first row in a node.
func (v *view) firstIn(n *Node) (Row, bool) {
	if s := n.sorting(); s != nil {
		return v.ranked(s, n, firstRank)
	}
	return v.childAt(n, n.e.Load().Start)
}

// lastIn returns the last row of a node's own children.
func (v *view) lastIn(n *Node) (Row, bool) {
	e := n.e.Load()
	if s := n.sorting(); s != nil {
		return v.rankedBefore(s, n, e.End)
	}
	return v.childBefore(n, e.Start, e.End)
}

// after returns the row in the same node after r.
func (v *view) after(r Row) (Row, bool) {
	if s := r.Parent.sorting(); s != nil {
		return v.rankedAfter(s, r)
	}
	return v.childAt(r.Parent, endOf(r))
}

// before returns the row in the same node before r.
func (v *view) before(r Row) (Row, bool) {
	n := r.Parent
	if s := n.sorting(); s != nil {
		return v.rankedPrev(s, r)
	}
	return v.childBefore(n, n.e.Load().Start, r.From)
}

// resolveIn returns the row of an open node that has taken the place of r: the last one if there is none.
func (v *view) resolveIn(r Row) Row {
	n := r.Parent
	if n.sorting() != nil {
		if r, ok := v.resolveRanked(r); ok {
			return r
		}
	} else if r, ok := v.around(n, n.e.Load().Start, r.From); ok {
		return r
	}
	if r, ok := v.lastIn(n); ok {
		return r
	}
	return rowOf(n)
}

// A sorted node that shows only some of its places: first its children with places in order, then a
// row for all others, then those added since it was sorted.

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
	start := n.e.Load().Start
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
