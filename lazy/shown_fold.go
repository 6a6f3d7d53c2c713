package lazy

// folds is which nodes around places the user has collapsed. They are not nodes, which can be
// forgotten, but offsets. The last key that concerned a node counts.
type folds struct {
	keys  int              // counts the keys
	nodes map[Position]int // the key that collapsed a node, or its negative if it expanded the node
	runs  []foldedRun
}

// foldedRun is a key that collapsed everything in a range of a thread.
type foldedRun struct {
	all      bool // in all threads
	thread   int32
	from, to int64
	key      int
}

// mark notes that the user has collapsed or expanded a node.
func (v *view) mark(n *Node, sign int) {
	f := &v.folds
	if f.nodes == nil {
		f.nodes = make(map[Position]int)
	}
	f.keys++
	f.nodes[placeOf(n)] = sign * f.keys
}

// fold collapses a node around places.
func (v *view) fold(n *Node) { v.mark(n, 1) }

// unfold expands a node, if it is one around places.
func (v *view) unfold(n *Node) {
	if v.within(n) && v.folded(n) {
		v.mark(n, -1)
	}
}

// foldAll collapses a node and everything in it.
func (v *view) foldAll(n *Node) {
	if !v.within(n) {
		return
	}
	v.fold(n)
	e := n.e.Load()
	v.folds.run(foldedRun{thread: n.thread, from: e.start, to: e.end})
}

// foldEverything collapses all threads and everything in them.
func (v *view) foldEverything() {
	if v != nil {
		v.folds.run(foldedRun{all: true})
	}
}

func (f *folds) run(r foldedRun) {
	f.keys++
	r.key = f.keys
	kept := f.runs[:0]
	for _, old := range f.runs {
		if !r.all && (old.all || old.thread != r.thread || old.from < r.from || old.to > r.to) {
			kept = append(kept, old)
		}
	}
	f.runs = append(kept, r)
	if r.all {
		clear(f.nodes)
	}
}

// folded reports whether a node around places is collapsed.
func (v *view) folded(n *Node) bool {
	f := &v.folds
	if f.keys == 0 {
		return false
	}
	p := placeOf(n)
	last := f.nodes[p]
	is := last > 0
	last = max(last, -last)
	for _, r := range f.runs {
		if r.key > last && (r.all || r.thread == p.Thread && r.from <= p.At && p.At < r.to) {
			last, is = r.key, true
		}
	}
	return is
}
