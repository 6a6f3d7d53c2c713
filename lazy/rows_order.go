package lazy

// The order of rows: from the threads, through expanded nodes, in the order in which
// they are shown. The loader is locked.

func (w *roots) firstChild(n *Node) (Row, bool) {
	if !n.expanded() {
		return Row{}, false
	}
	if s := n.sorting(); s != nil {
		return s.after(n, firstRank)
	}
	return n.rowAt(n.e.Load().start)
}

func (w *roots) lastChild(n *Node) (Row, bool) {
	if !n.expanded() {
		return Row{}, false
	}
	if s := n.sorting(); s != nil {
		return s.before(n, n.e.Load().end)
	}
	return n.rowBefore(n.e.Load().end)
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
	if r.Parent != nil {
		if s := r.Parent.sorting(); s != nil {
			return s.next(r)
		}
	}
	switch {
	case r.Parent != nil && r.Node != nil:
		return r.Parent.rowAt(r.Node.e.Load().next)
	case r.Parent != nil:
		return r.Parent.rowAt(r.To)
	}
	if r.Node != nil {
		if n := w.at(w.index(r.Node.thread) + 1); n != nil {
			return rowOf(n), true
		}
	}
	return Row{}, false
}

// prevSibling is PrevSibling.
func (w *roots) prevSibling(r Row) (Row, bool) {
	if r.Parent != nil {
		if s := r.Parent.sorting(); s != nil {
			return s.prev(r)
		}
		return r.Parent.rowBefore(r.From)
	}
	if r.Node != nil {
		if n := w.at(w.index(r.Node.thread) - 1); n != nil {
			return rowOf(n), true
		}
	}
	return Row{}, false
}

// resolveIn returns the row that has taken the place of a row of an expanded node:
// the last one if there is none.
func (w *roots) resolveIn(r Row) Row {
	n, at := r.Parent, r.From
	if s := n.sorting(); s != nil {
		if r, ok := s.resolve(r); ok {
			return r
		}
		r, _ := w.lastChild(n)
		return r
	}
	if p, _ := n.covering(at); p != nil {
		if i := p.node(at + 1); i > 0 && p.nodes[i-1].e.Load().next > at {
			return rowOf(p.nodes[i-1])
		}
	}
	if r, ok := n.rowAt(at); ok {
		return r
	}
	if r, ok := n.rowBefore(n.e.Load().end); ok {
		return r
	}
	return rowOf(n)
}

// rowAt returns the child, or the gap, at or after a logical offset.
func (n *Node) rowAt(pos int64) (Row, bool) {
	end := n.e.Load().end
	for pos < end {
		p, i := n.covering(pos)
		if p == nil {
			to := end
			if n.kids != nil && i < len(n.kids.slabs) {
				to = n.kids.slabs[i].from
			}
			return Row{Parent: n, Depth: int(n.depth) + 1, From: pos, To: to}, true
		}
		if i := p.node(pos); i < len(p.nodes) {
			return rowOf(p.nodes[i]), true
		}
		pos = p.to
	}
	return Row{}, false
}

// rowBefore returns the child, or the gap, before a logical offset.
func (n *Node) rowBefore(pos int64) (Row, bool) {
	start := n.e.Load().start
	for pos > start {
		p, i := n.covering(pos - 1)
		if p == nil {
			from := start
			if i > 0 {
				from = n.kids.slabs[i-1].to
			}
			return Row{Parent: n, Depth: int(n.depth) + 1, From: from, To: pos}, true
		}
		if i := p.node(pos); i > 0 {
			return rowOf(p.nodes[i-1]), true
		}
		pos = p.from
	}
	return Row{}, false
}

// resolve is Resolve.
func (w *roots) resolve(r Row) Row {
	if r.Parent == nil {
		if r.Node == nil && w.len() > 0 {
			return rowOf(w.at(0))
		}
		return r
	}
	// The outermost node on the path that is forgotten or collapsed hides the rest.
	var hides *Node
	for n := r.Parent; n != nil; n = n.parent {
		if n.forgotten() || !n.expanded() {
			hides = n
		}
	}
	switch {
	case hides == nil:
	case hides.forgotten():
		return w.resolveIn(rowOf(hides))
	default:
		return rowOf(hides)
	}
	if r.Node != nil && r.Node.slab != nil && r.Parent.sorting() == nil {
		return rowOf(r.Node)
	}
	return w.resolveIn(r)
}
