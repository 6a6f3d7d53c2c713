package lazy

// childAt returns the row of a node at or after an offset, at which a child ends or begins.
func (v *view) childAt(n *Node, pos int64) (Row, bool) {
	end := n.e.Load().End
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
		return r.Node.e.Load().Next
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
		if i > 0 && p.nodes[i-1].e.Load().Next > at {
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
			return max(at+1, p.nodes[i].e.Load().At), hi
		}
		return max(at+1, p.to), hi
	}
	if i > 0 {
		return lo, min(at, p.nodes[i-1].e.Load().Next)
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
			return p.nodes[i].e.Load().At < to
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

// around returns the row of a node, of those from start on, that an offset is in, or the next one.
func (v *view) around(n *Node, start, at int64) (Row, bool) {
	prev, next := start, n.e.Load().End
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
		if i := p.node(at + 1); i > 0 && p.nodes[i-1].e.Load().Next > at {
			return rowOf(p.nodes[i-1]), true
		}
		if i := p.node(at); i < len(p.nodes) {
			at = p.nodes[i].e.Load().At
		}
	}
	return v.childAt(n, at)
}
