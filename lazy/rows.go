package lazy

// Row is a line of the outline: a node whose ancestors are all expanded, or a gap in an
// expanded node, which may be sorted: see Tree.Sort. In a tree that shows only some places, see
// Shown.Only, a row can also stand for what is left out. A Row is a value; it remains
// meaningful when the tree changes, see Resolve.
type Row struct {
	Node   *Node // nil for a gap, and for what is left out
	Parent *Node // of the node or of the gap; nil for a thread
	Depth  int
	From   int64 // logical: the offset of the node, or the start of the gap
	To     int64 // of a gap, or of what is left out: its end. For threads, From and To are their indexes
	Left   Left

	// For a gap in a sorted node, whose From and To are equal: the ranks of its
	// children are in (lo, hi]; count is their number, -1 if not known.
	lo, hi rank
	count  int64
}

// Gap reports whether the row represents children that are not in memory.
func (r Row) Gap() bool { return r.Node == nil && r.Parent != nil && r.Left == 0 }

// Fraction returns where the row begins in its thread's stream: see [Node.Fraction]. It is 0 for threads that are left out.
func (r Row) Fraction() float64 {
	switch {
	case r.Node != nil:
		return r.Node.Fraction()
	case r.Parent != nil:
		return fraction(r.Parent, r.From)
	}
	return 0
}

func rowOf(n *Node) Row {
	return Row{Node: n, Parent: n.parent, Depth: int(n.depth), From: n.e.Load().at}
}

// Expand expands a node: its children become rows. They need not be loaded.
func (t *Tree) Expand(n *Node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expand(n)
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

// forgotten reports whether the node is no longer in memory.
func (n *Node) forgotten() bool { return n.parent != nil && n.slab == nil }

func (n *Node) expanded() bool { return n.kids != nil && n.kids.expanded }

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
