package lazy

// Focus makes a node the only root: rows are it and what is below it. With nil all rows are shown
// again. Nothing else changes: the path to the root remains its parents.
func (t *Tree) Focus(n *Node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.focus = n
	if n == nil {
		return
	}
	for up := n.parent; up != nil; up = up.parent {
		t.expand(up) // otherwise rows below would be those of a collapsed node
	}
}

// Focused returns the node that is the only root; nil if there is none.
func (t *Tree) Focused() *Node {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.focus
}

// InFocus reports whether a row is the root that Focus made, or below it; it is true without one.
func (t *Tree) InFocus(r Row) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inFocus(r)
}

func (t *Tree) inFocus(r Row) bool {
	if t.focus == nil {
		return true
	}
	n := r.Node
	if n == nil {
		n = r.Parent
	}
	for n != nil && n.depth > t.focus.depth {
		n = n.parent
	}
	return n == t.focus
}

// bound returns the row after or before one in focus, if that is in focus too: walking from row to
// row leaves what is below a node for a row that is no deeper.
func (t *Tree) bound(r Row, ok bool) (Row, bool) {
	if f := t.focus; ok && f != nil && r.Node != f && r.Depth <= int(f.depth) {
		return Row{}, false
	}
	return r, ok
}
