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

func (t *Tree) expand(n *Node) {
	t.roots.view.unfold(n)
	if n.kids == nil {
		n.kids = new(kids)
	}
	n.kids.expanded = true
}

// Collapse collapses a node. Its descendants stay loaded, and expanded, until their
// memory is needed.
func (t *Tree) Collapse(n *Node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.roots.view.within(n) {
		t.roots.view.fold(n)
	} else if n.kids != nil {
		n.kids.expanded = false
	}
}

// CollapseAll collapses a node and all its descendants.
func (t *Tree) CollapseAll(n *Node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.roots.view.foldAll(n)
	n.collapseAll()
}

func (n *Node) collapseAll() {
	if n.kids == nil {
		return
	}
	todo := []*Node{n}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n.kids == nil {
			continue
		}
		n.kids.expanded = false
		for _, p := range n.kids.slabs {
			todo = append(todo, p.nodes...)
		}
	}
}

// CollapseEverything collapses all threads and all their descendants.
func (t *Tree) CollapseEverything() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.roots.view.foldEverything()
	if t.focus != nil {
		t.focus.collapseAll()
		return
	}
	for _, n := range t.roots.made {
		n.collapseAll()
	}
}

// IsExpanded reports whether the node is expanded.
func (t *Tree) IsExpanded(n *Node) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.roots.open(n)
}

// First returns the first row; ok is false while no thread is known.
func (t *Tree) First() (r Row, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.focus != nil {
		return rowOf(t.focus), true
	}
	return t.roots.threadAt(0)
}

// Last returns the last row.
func (t *Tree) Last() (r Row, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.focus != nil {
		return t.roots.deepest(rowOf(t.focus)), true
	}
	last, ok := t.roots.threadBefore(t.roots.len())
	if !ok {
		return Row{}, false
	}
	return t.roots.deepest(last), true
}

// Next returns the row below r.
func (t *Tree) Next(r Row) (Row, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bound(t.roots.next(t.roots.now(r)))
}

// Prev returns the row above r.
func (t *Tree) Prev(r Row) (Row, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.focus != nil && r.Node == t.focus {
		return Row{}, false
	}
	r = t.roots.now(r)
	if up, ok := t.roots.prevSibling(r); ok {
		return t.roots.deepest(up), true
	}
	if r.Parent != nil {
		return rowOf(r.Parent), true
	}
	return Row{}, false
}

// NextSibling returns the row in the same node that follows r and all below r.
func (t *Tree) NextSibling(r Row) (Row, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bound(t.roots.nextSibling(t.roots.now(r)))
}

// PrevSibling returns the row before r in the same node.
func (t *Tree) PrevSibling(r Row) (Row, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bound(t.roots.prevSibling(t.roots.now(r)))
}

// FirstChild returns the first row within an expanded node.
func (t *Tree) FirstChild(n *Node) (Row, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.roots.firstChild(n)
}

// LastChild returns the last row of an expanded node's own children.
func (t *Tree) LastChild(n *Node) (Row, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.roots.lastChild(n)
}

// Rows returns up to height rows, beginning with top. They, and the path to them,
// count as used now: other nodes are forgotten first.
func (t *Tree) Rows(top Row, height int) []Row {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.memory.tick++
	rows := make([]Row, 0, max(0, height))
	for ok := true; ok && len(rows) < height; top, ok = t.bound(t.roots.next(top)) {
		rows = append(rows, top)
		t.keep(top)
	}
	return rows
}

// Keep marks rows that are not on the screen, such as the cursor, as used together
// with those of the last call of Rows.
func (t *Tree) Keep(rows ...Row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range rows {
		t.keep(r)
	}
}

func (t *Tree) keep(r Row) {
	if r.Node != nil {
		t.memory.touch(r.Node)
	} else if r.Parent != nil {
		t.memory.touch(r.Parent)
	}
}

// Resolve returns the row that has taken the place of r: for a gap that was loaded,
// its first node; for a node that was forgotten, its gap; for a row inside a collapsed
// node, that node.
func (t *Tree) Resolve(r Row) Row {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r = t.roots.resolve(r); !t.inFocus(r) {
		return rowOf(t.focus)
	}
	return r
}
