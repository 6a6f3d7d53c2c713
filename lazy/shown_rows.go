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

// now returns a row for what is left out as it is now: loads and counts may have moved its ends.
func (w *roots) now(r Row) Row {
	if r.Left != 0 && w.view != nil {
		if at := w.resolve(r); at.Left != 0 {
			return at
		}
	}
	return r
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
	if last := w.id(to - 1); w.view.places.Known(last) < w.at(to-1).e.Load().end {
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

// nextThread returns the first thread with an id or a higher one that has a place.
func (v *wanted) nextThread(id int32) (next int32, ok bool) {
	next, ok = v.places.NextThread(id)
	for thread := range v.too {
		if thread >= id && (!ok || thread < next) {
			next, ok = thread, true
		}
	}
	return next, ok
}

// prevThread returns the last thread with an id or a lower one that has a place.
func (v *wanted) prevThread(id int32) (prev int32, ok bool) {
	prev, ok = v.places.PrevThread(id)
	for thread := range v.too {
		if thread <= id && (!ok || thread > prev) {
			prev, ok = thread, true
		}
	}
	return prev, ok
}

// firstIn returns the first row in a node.
func (v *view) firstIn(n *Node) (Row, bool) {
	if s := n.sorting(); s != nil {
		return v.ranked(s, n, firstRank)
	}
	return v.childAt(n, n.e.Load().start)
}

// lastIn returns the last row of a node's own children.
func (v *view) lastIn(n *Node) (Row, bool) {
	e := n.e.Load()
	if s := n.sorting(); s != nil {
		return v.rankedBefore(s, n, e.end)
	}
	return v.childBefore(n, e.start, e.end)
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
	return v.childBefore(n, n.e.Load().start, r.From)
}

// childAt returns the row of a node at or after an offset, at which a child ends or begins.
func (v *view) childAt(n *Node, pos int64) (Row, bool) {
	end := n.e.Load().end
	for pos < end {
		next := end
		if o := v.openedAt(n, pos, 1); o != nil {
			if o.from <= pos {
				if r, ok := n.rowAt(pos); ok && r.From < o.to {
					if r.Gap() {
						r.To = min(r.To, o.to)
					}
					return r, true
				}
				pos = o.to
				continue
			}
			next = min(next, o.from)
		}
		found, ok := v.covering(n, pos, next, Row{From: pos, To: next}, 1)
		stop := next
		if ok {
			stop = max(found.From, pos)
		}
		switch {
		case v.some(n, pos, stop):
			return v.left(n, pos, stop), true
		case ok:
			return found, true
		}
		pos = next
	}
	return Row{}, false
}

// childBefore returns the row of a node before an offset, of those from start on.
func (v *view) childBefore(n *Node, start, pos int64) (Row, bool) {
	for pos > start {
		prev := start
		if o := v.openedAt(n, pos, -1); o != nil {
			if o.to >= pos {
				r, ok := n.rowBefore(pos)
				switch {
				case ok && r.Node != nil && r.From >= o.from:
					return r, true
				case ok && r.Gap() && r.To > o.from:
					r.From = max(r.From, o.from)
					return r, true
				}
				pos = o.from
				continue
			}
			prev = max(prev, o.to)
		}
		found, ok := v.covering(n, prev, pos, Row{From: prev, To: pos}, -1)
		stop := prev
		if ok {
			stop = min(endOf(found), pos)
		}
		switch {
		case v.some(n, stop, pos):
			return v.left(n, stop, pos), true
		case ok:
			return found, true
		}
		pos = prev
	}
	return Row{}, false
}

// endOf returns the offset at which a row ends.
func endOf(r Row) int64 {
	if r.Node != nil {
		return r.Node.e.Load().next
	}
	return r.To
}

// covering returns the child, or the gap, around the first place of a node in [lo, hi), or, if
// dir is negative, around the last. A gap does not reach beyond the bounds.
func (v *view) covering(n *Node, lo, hi int64, bounds Row, dir int) (Row, bool) {
	for lo < hi {
		find := v.first
		if dir < 0 {
			find = v.last
		}
		at, ok := find(n.thread, lo, hi)
		if !ok {
			break
		}
		if f, t, _, ok := n.gap(at); ok {
			return Row{Parent: n, Depth: int(n.depth) + 1, From: max(f, bounds.From), To: min(t, bounds.To)}, true
		}
		p, _ := n.covering(at)
		if p == nil {
			break // outside of the content
		}
		i := p.node(at + 1)
		if i > 0 && p.nodes[i-1].e.Load().next > at {
			return rowOf(p.nodes[i-1]), true
		}
		// The tree shows no child there.
		lo, hi = p.beside(i, at, lo, hi, dir)
	}
	return Row{}, false
}

// beside narrows [lo, hi) down to what is after, or before, the place at which a slab has no child.
func (p *slab) beside(i int, at, lo, hi int64, dir int) (int64, int64) {
	if dir > 0 {
		if i < len(p.nodes) {
			return max(at+1, p.nodes[i].e.Load().at), hi
		}
		return max(at+1, p.to), hi
	}
	if i > 0 {
		return lo, min(at, p.nodes[i-1].e.Load().next)
	}
	return lo, min(at, p.from)
}

// some reports whether a node has children in [from, to), as far as is known.
func (v *view) some(n *Node, from, to int64) bool {
	if from >= to {
		return false
	}
	if count, known := v.counts[keyOf(n, from, to)]; known {
		return count > 0
	}
	for pos := from; pos < to; {
		p, _ := n.covering(pos)
		if p == nil {
			return true
		}
		if i := p.node(pos); i < len(p.nodes) {
			return p.nodes[i].e.Load().at < to
		}
		pos = p.to
	}
	return false
}

// left returns the row of the children in [from, to), which are left out.
func (v *view) left(n *Node, from, to int64) Row {
	r := Row{Parent: n, Depth: int(n.depth) + 1, From: from, To: to, Left: LeftOut}
	if v.places.Known(n.thread) < to {
		r.Left = LeftOpen
	}
	return r
}

// resolveIn returns the row of an open node that has taken the place of r: the last one if there is none.
func (v *view) resolveIn(r Row) Row {
	n := r.Parent
	if n.sorting() != nil {
		if r, ok := v.resolveRanked(r); ok {
			return r
		}
	} else if r, ok := v.around(n, n.e.Load().start, r.From); ok {
		return r
	}
	if r, ok := v.lastIn(n); ok {
		return r
	}
	return rowOf(n)
}

// around returns the row of a node, of those from start on, that an offset is in, or the next one.
func (v *view) around(n *Node, start, at int64) (Row, bool) {
	prev, next := start, n.e.Load().end
	if o := v.openedAt(n, at, 1); o != nil {
		if next = min(next, o.from); o.from <= at {
			return v.asBefore(n, at, o)
		}
	}
	if o := v.openedAt(n, at+1, -1); o != nil {
		prev = max(prev, o.to)
	}
	if found, ok := v.covering(n, prev, min(at+1, next), Row{From: prev, To: next}, -1); ok {
		if prev = endOf(found); prev > at {
			return found, true
		}
	}
	return v.childAt(n, prev)
}

// asBefore is around in a run that the user has opened.
func (v *view) asBefore(n *Node, at int64, o *opened) (Row, bool) {
	if from, to, _, ok := n.gap(at); ok {
		return Row{Parent: n, Depth: int(n.depth) + 1, From: max(from, o.from), To: min(to, o.to)}, true
	}
	if p, _ := n.covering(at); p != nil {
		if i := p.node(at + 1); i > 0 && p.nodes[i-1].e.Load().next > at {
			return rowOf(p.nodes[i-1]), true
		}
		if i := p.node(at); i < len(p.nodes) {
			at = p.nodes[i].e.Load().at
		}
	}
	return v.childAt(n, at)
}
