package lazy

// Tree is a view of a trace, folded or raw, with the nodes that are loaded. Any
// goroutine may use it; methods that do not read from disk return at once.
//
// Children of a node are kept in slabs: runs of neighbors, identified by
// their offset in the thread's stream, not by their number. Between slabs are gaps:
// children that are not in memory, however many. When a node is sorted, only its
// rows change their order.
//
// A Tree puts together parts that do not know it: the loader reads and counts children,
// and keeps them in memory; the sorter orders the children of a node; roots has the
// threads; texts makes text of nodes. Its own methods are about rows: which nodes are
// expanded, and which row follows which.
type Tree struct {
	*loader
	texts
	sorter sorter
	roots  *roots // guarded by the loader's lock
	focus  *Node  // the only root; nil if there is none
	seen   int    // generation of the reader at the last Refresh
	stamp  uint32 // of the last view
}

// Tree returns a new view of the trace.
func (r *LazyTraceReader) Tree(folded bool) *Tree { return newTree(r, folded, nil) }

func newTree(r *LazyTraceReader, folded bool, e Edits) *Tree {
	l := newLoader(r, folded)
	l.edits = e
	t := &Tree{loader: l, texts: texts{r.trace}, sorter: sorter{l, maxInRange(r.opts.Memory)}}
	t.roots = newRoots(l.newThread)
	t.Refresh()
	return t
}

// Threads returns the top level: a node for each thread known so far, by id. There
// may be very many: ThreadCount and ThreadAt make only the nodes requested.
func (t *Tree) Threads() []*Node {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]*Node, t.roots.len())
	for i := range list {
		list[i] = t.roots.at(i)
	}
	return list
}

// ThreadCount returns how many threads are known so far.
func (t *Tree) ThreadCount() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.roots.len()
}

// ThreadAt returns the i-th thread by id, from 0; nil if there is none.
func (t *Tree) ThreadAt(i int) *Node {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.roots.at(i)
}

// Thread returns the node of a thread, nil if no thread has this id, and its index
// among the threads, or that of the next one.
func (t *Tree) Thread(id int32) (n *Node, i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.roots.of(id), t.roots.index(id)
}

// Refresh brings the tree up to date with the reader: new threads, and ends that were
// not known. Call it when Status().Generation has grown; otherwise it does nothing.
func (t *Tree) Refresh() {
	st := t.r.Status()
	v, epoch := t.r.moment()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now.epoch == epoch && t.now.view != nil && t.seen >= st.Generation {
		return
	}
	if t.now.epoch != epoch {
		t.startOver(epoch)
	}
	t.seen = st.Generation
	t.now = moment{v, epoch}
	t.roots.add(len(v.Streams), func(i int) int32 { return v.Streams[i].Thread })
	for id, n := range t.roots.made {
		if s := v.Stream(id); s != nil {
			t.grow(n, v, s)
		}
	}
}

// startOver forgets everything read from an index that was wrong. Threads
// stay, and stay expanded.
func (t *Tree) startOver(epoch int64) {
	t.roots.startOver()
	t.focus = nil
	for _, n := range t.roots.made {
		expanded := n.expanded()
		t.memory.forget(n)
		n.kids, n.epoch = &kids{expanded: expanded}, int32(epoch)
		n.e.Store(&nodeData{state: StatePending})
	}
}
