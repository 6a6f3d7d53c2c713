package lazy

// The order of rows: from the threads, through expanded nodes, in the order in which
// they are shown. The loader is locked.

func (w *roots) firstChild(n *Node) (Row, bool) {
	if !w.open(n) {
		return Row{}, false
	}
	if w.view.within(n) {
		return w.view.firstIn(n)
	}
	if s := n.sorting(); s != nil {
		return s.after(n, firstRank)
	}
	return n.rowAt(n.e.Load().Start)
}

func (w *roots) lastChild(n *Node) (Row, bool) {
	if !w.open(n) {
		return Row{}, false
	}
	if w.view.within(n) {
		return w.view.lastIn(n)
	}
	if s := n.sorting(); s != nil {
		return s.before(n, n.e.Load().End)
	}
	return n.rowBefore(n.e.Load().End)
}

func (w *roots) next(r Row) (Row, bool) {
	if r.Node != nil {
		if in, ok := w.firstChild(r.Node); ok {
			return in, true
		}
	}
	for {
		if next, ok := w.nextSibling(r); ok {
			return next, true
		}
		if r.Parent == nil {
			return Row{}, false
		}
		r = rowOf(r.Parent)
	}
}

// deepest returns the last row within r.
func (w *roots) deepest(r Row) Row {
	for r.Node != nil {
		in, ok := w.lastChild(r.Node)
		if !ok {
			break
		}
		r = in
	}
	return r
}

// nextSibling is NextSibling.
func (w *roots) nextSibling(r Row) (Row, bool) {
	if r.Parent == nil {
		return w.threadAt(w.after(r))
	}
	if w.view.within(r.Parent) {
		return w.view.after(r)
	}
	if s := r.Parent.sorting(); s != nil {
		return s.next(r)
	}
	if r.Node != nil {
		return r.Parent.rowAt(r.Node.e.Load().Next)
	}
	return r.Parent.rowAt(r.To)
}

// prevSibling is PrevSibling.
func (w *roots) prevSibling(r Row) (Row, bool) {
	if r.Parent == nil {
		return w.threadBefore(w.before(r))
	}
	if w.view.within(r.Parent) {
		return w.view.before(r)
	}
	if s := r.Parent.sorting(); s != nil {
		return s.prev(r)
	}
	return r.Parent.rowBefore(r.From)
}

// resolveIn returns the row that has taken the place of a row of an expanded node:
// the last one if there is none.
func (w *roots) resolveIn(r Row) Row {
	n, at := r.Parent, r.From
	if w.view.within(n) {
		return w.view.resolveIn(r)
	}
	if s := n.sorting(); s != nil {
		if r, ok := s.resolve(r); ok {
			return r
		}
		r, _ := w.lastChild(n)
		return r
	}
	if p, _ := n.covering(at); p != nil {
		if i := p.node(at + 1); i > 0 && p.nodes[i-1].e.Load().Next > at {
			return rowOf(p.nodes[i-1])
		}
	}
	if r, ok := n.rowAt(at); ok {
		return r
	}
	if r, ok := n.rowBefore(n.e.Load().End); ok {
		return r
	}
	return rowOf(n)
}

// resolve is Resolve.
func (w *roots) resolve(r Row) Row {
	if r.Parent == nil {
		return w.resolveThread(r)
	}
	// The outermost node on the path that is forgotten, collapsed or left out hides the rest.
	var hides *Node
	all := w.view.shows(r.Parent) // what is around it is shown, too
	for n := r.Parent; n != nil; n = n.parent {
		if n.forgotten() || !w.open(n) || !all && !w.view.shows(n) {
			hides = n
		}
	}
	switch {
	case hides == nil:
	case hides.parent == nil && !w.view.shows(hides):
		return w.resolveThread(rowOf(hides))
	case hides.forgotten() || !w.view.shows(hides):
		return w.resolveIn(rowOf(hides))
	default:
		return rowOf(hides)
	}
	if r.Node != nil && r.Node.slab != nil && r.Parent.sorting() == nil && w.view.shows(r.Node) {
		return rowOf(r.Node)
	}
	return w.resolveIn(r)
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
