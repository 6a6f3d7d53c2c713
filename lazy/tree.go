package lazy

import (
	"sort"
	"tracex/lazy/internal/walk"
)

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
func (r *LazyTraceReader) Tree(folded bool) *Tree { return newTree(r.r, folded, nil) }

func newTree(r *walk.Reader, folded bool, e Edits) *Tree {
	l := newLoader(r, folded)
	l.edits = e
	t := &Tree{loader: l, texts: texts{r.Trace}, sorter: sorter{l, maxInRange(r.Opts.Memory)}}
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
	st := t.r.Now()
	v, epoch := t.r.Moment()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now.Epoch == epoch && t.now.View != nil && t.seen >= st.Generation {
		return
	}
	if t.now.Epoch != epoch {
		t.startOver(epoch)
	}
	t.seen = st.Generation
	t.now = walk.Instant{View: v, Epoch: epoch}
	t.roots.add(v.Streams.Len(), func(i int) int32 { return v.Streams.Thread(i) })
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
		n.e.Store(&walk.NodeData{State: StatePending})
	}
}

// EditedTree returns a view of the trace in which some containers are left out. The children of a
// node are those that it has then, and its depth is what it is then.
//
//	run()                    run()
//	  ▾ Worker.step(1)         ▸ parse(7)        Worker.step is merged
//	    ▸ parse(7)             i = 3
//	    i = 3                  ▸ parse(8)
//	  ▾ Worker.step(2)
//	    ▸ parse(8)
//
// Nothing is loaded for it in advance: which containers are left out is decided when they are read.
func EditedTree(r *LazyTraceReader, folded bool, e Edits) *Tree { return newTree(r.r, folded, e) }

// Inline makes a folded tree show a loop of one iteration without a row for the iteration: what the
// iteration contains is shown as what the loop contains.
//
//	▾ loop(1 iterations)          ▾ loop(1 iterations)
//	  ▾ <iteration 1>               execute(7)
//	    execute(7)
//
// The position of the iteration then is that of the loop's row. A raw tree stays as it is. Call it
// before anything is loaded.
func Inline(t *Tree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inline = t.folded
}

func newRoots(make func(id int32) *Node) *roots {
	return &roots{made: map[int32]*Node{}, make: make}
}

// startOver keeps the threads, although the view that listed them was wrong.
func (r *roots) startOver() { r.more = true }

// add adds the n threads of a view, whose ids rise. The roots keep id and call it later.
// Usually a view has the threads of the previous one, followed by new ones: then only
// the last known thread is compared.
func (r *roots) add(n int, id func(i int) int32) {
	known := r.n
	if !r.more && known <= n && (known == 0 || id(known-1) == r.id(known-1)) {
		r.n, r.id = n, id
		return
	}
	all := make([]int32, 0, max(known, n))
	for i, j := 0, 0; i < known || j < n; {
		switch {
		case j == n || i < known && r.id(i) < id(j):
			all = append(all, r.id(i))
			i++
		case i == known || id(j) < r.id(i):
			all = append(all, id(j))
			j++
		default:
			all = append(all, r.id(i))
			i, j = i+1, j+1
		}
	}
	r.n, r.id, r.more = len(all), func(i int) int32 { return all[i] }, len(all) > n
}

func (r *roots) len() int { return r.n }

// index returns the index of the first thread with this id or a higher one.
func (r *roots) index(id int32) int {
	return sort.Search(r.n, func(i int) bool { return r.id(i) >= id })
}

// at returns the i-th thread; nil if there is none.
func (r *roots) at(i int) *Node {
	if i < 0 || i >= r.n {
		return nil
	}
	id := r.id(i)
	n := r.made[id]
	if n == nil {
		n = r.make(id)
		r.made[id] = n
	}
	return n
}

// of returns the thread with an id; nil if there is none.
func (r *roots) of(id int32) *Node {
	if n := r.made[id]; n != nil {
		return n
	}
	if i := r.index(id); i < r.n && r.id(i) == id {
		return r.at(i)
	}
	return nil
}
