package lazy

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// Tree is a view of a trace, folded or raw, with the nodes that are loaded. Any
// goroutine may use it; methods that do not read from disk return at once.
//
// Children of a node are kept in slabs: runs of neighbors, identified by
// their offset in the thread's stream, not by their number. Between slabs are gaps:
// children that are not in memory, however many. When a node is sorted, only its
// rows change their order.
//
// Tree has many methods because every access to nodes goes through its lock: reading
// children, counting, sorting and searching them, and expanding them to rows. Its parts
// do what needs no reader: roots knows the threads and how rows follow one another;
// memory knows what is loaded, and unloads it.
type Tree struct {
	r        *TraceReader
	folded   bool
	maxRange int // maximum number of children in a range of a sorted node

	// mu guards all fields below, and all slabs and kids. Lock order: mu before the
	// reader's locks.
	mu     sync.Mutex
	now    moment // the view that the nodes were read from
	roots  *roots
	memory memory
	seen   int // generation of the reader at the last Refresh
}

// Stats counts what a Tree holds.
type Stats struct {
	Loaded    int64 // nodes in memory
	Forgotten int64 // nodes that were in memory and no longer are, in total
	Bytes     int64 // estimated size of the nodes
	Budget    int64
}

// Tree returns a new view of the trace.
func (r *TraceReader) Tree(folded bool) *Tree {
	t := &Tree{r: r, folded: folded, maxRange: maxInRange(r.opts.Memory)}
	t.memory.init(r.opts.Memory)
	t.roots = newRoots(t.newThread)
	t.Refresh()
	return t
}

// Folded reports whether the tree is the folded view.
func (t *Tree) Folded() bool { return t.folded }

// Stats returns what the tree holds.
func (t *Tree) Stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.memory.stats()
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

// Node is a thread or a trace point. Its own data changes only while its end is not
// known; its children are loaded and unloaded.
type Node struct {
	tree   *Tree
	parent *Node
	thread int32
	depth  int32
	epoch  int32 // of the tree when the node was read; for a thread, guarded as below
	e      atomic.Pointer[nodeData]

	// Guarded by tree.mu:
	slab *slab // that holds the node; nil for a thread, and when unloaded
	slot int32 // in slab.nodes
	seen uint64
	kids *kids
}

// kids is what a node knows of its children.
type kids struct {
	expanded    bool
	slabs       []*slab // by offset
	tallies     []childTally
	checkpoints []checkpoint
	counted     int64     // rows counted so far
	exact       bool      // whether all were counted
	time        childTime // total time of those counted
	sorted      *sorting  // nil if rows are in recorded order

	timesSize int64 // size of the file of times when counting began
}

// Parent returns the node's parent, nil for a thread.
func (n *Node) Parent() *Node { return n.parent }

// IsThread reports whether the node is a thread, not a trace point.
func (n *Node) IsThread() bool { return n.parent == nil }

// Thread returns the id of the thread that the node is or belongs to.
func (n *Node) Thread() int32 { return n.thread }

// Depth is 0 for a thread, 1 for its roots.
func (n *Node) Depth() int { return int(n.depth) }

// Point returns the trace point, nil for a thread. Callers must not change it.
func (n *Node) Point() *format.Point {
	if n.IsThread() {
		return nil
	}
	return &n.e.Load().point
}

// Footer returns the node's footer: the zero Footer for a leaf, the result of
// [format.Unfinished] for a container without one.
func (n *Node) Footer() *format.Footer { return &n.e.Load().foot }

// State returns whether the end of the node is known.
func (n *Node) State() State { return n.e.Load().state }

// Leaf reports whether the node certainly has no children.
func (n *Node) Leaf() bool {
	e := n.e.Load()
	if !e.hasContent() && e.state != StatePending {
		return true
	}
	count, exact, known := n.Count()
	return known && exact && count == 0
}

// Loaded reports whether children of the node are in memory.
func (n *Node) Loaded() bool {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	return n.kids != nil && len(n.kids.slabs) > 0
}

// Count returns the number of the node's children counted so far. exact means that
// all of them have been counted, with their times if the trace has times. known is
// false if none have been counted.
func (n *Node) Count() (count int64, exact, known bool) {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	return n.count()
}

// count is Count. The tree is locked.
func (n *Node) count() (count int64, exact, known bool) {
	switch {
	case !n.e.Load().hasContent() && n.e.Load().state != StatePending:
		return 0, true, true
	case n.kids == nil || n.kids.counted == 0 && !n.kids.exact:
		return 0, false, false
	}
	return n.kids.counted, n.kids.exact && !n.timesArrived(), true
}

// Counting returns how far the children have been counted: done of total bytes of the
// node's content. total is 0 if its end is not known.
func (n *Node) Counting() (done, total int64) {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	e := n.e.Load()
	if e.state == StatePending {
		return 0, 0
	}
	total = e.end - e.start
	switch {
	case n.kids == nil || len(n.kids.tallies) == 0:
		return 0, total
	case n.kids.exact:
		return total, total
	}
	return n.kids.tallies[len(n.kids.tallies)-1].pos - e.start, total
}

// Offset returns the physical and the logical offset of the node's header or leaf.
func (n *Node) Offset() (physical, logical int64) {
	at := n.e.Load().at
	s := n.tree.r.known.Load().Stream(n.thread)
	if s == nil {
		return -1, at
	}
	return s.Physical(at), at
}

// Position returns the node's relative position in its thread's stream, from 0
// to 1; in the file, while the stream is not completely known.
func (n *Node) Position() float64 {
	v := n.tree.r.known.Load()
	s := v.Stream(n.thread)
	if s == nil || s.Size == 0 {
		return 0
	}
	at := n.e.Load().at
	if data, _ := n.tree.r.Size(); !v.Complete && data > 0 {
		return float64(max(0, s.Physical(at))) / float64(data)
	}
	return float64(at) / float64(s.Size)
}

// parentText returns the information about n that its children's text needs.
func (n *Node) parentText() format.Parent {
	if n == nil || n.IsThread() {
		return format.Parent{}
	}
	return format.ParentOf(&n.e.Load().point)
}

// AppendText appends the text of a trace point, in one line: see
// [format.Context.AppendText]. For a thread it appends its name.
func (t *Tree) AppendText(dst []byte, n *Node, verbose bool) []byte {
	t.r.WithContext(func(c *format.Context) {
		if n.IsThread() {
			dst = appendThread(dst, c, n.thread)
			return
		}
		e := n.e.Load()
		dst = c.AppendText(dst, &e.point, e.shownFooter(), n.parent.parentText(), verbose)
	})
	return dst
}

// AppendSpans is AppendText with the styles of the text's parts.
func (t *Tree) AppendSpans(dst []byte, spans []format.Span, n *Node, verbose bool) ([]byte, []format.Span) {
	t.r.WithContext(func(c *format.Context) {
		if n.IsThread() {
			dst = appendThread(dst, c, n.thread)
			return
		}
		e := n.e.Load()
		dst, spans = c.AppendSpans(dst, spans, &e.point, e.shownFooter(), n.parent.parentText(), verbose)
	})
	return dst, spans
}

// nodeSize is the memory that a node takes, excluding its values.
const nodeSize = int64(unsafe.Sizeof(Node{}) + unsafe.Sizeof(nodeData{}) + 16)

// weigh estimates the memory that a trace point takes, in bytes.
func weigh(e *nodeData) int64 {
	n := nodeSize + int64(cap(e.point.Subtree)) + weighValues(e.point.Args) +
		weighValue(&e.point.Target) + weighValue(&e.point.Value) + weighValue(&e.foot.Result) + int64(len(e.foot.Exception))
	if s := e.point.Snapshot; s != nil {
		n += 128 + 4*int64(len(s.Stack)) + weighValues(s.Locals) + weighValues(s.Watches)
	}
	return n
}

func weighValues(list []format.Value) int64 {
	n := int64(cap(list)-len(list)) * int64(unsafe.Sizeof(format.Value{}))
	for i := range list {
		n += int64(unsafe.Sizeof(format.Value{})) + weighValue(&list[i])
	}
	return n
}

// weighValue estimates the memory that a value refers to, in bytes.
func weighValue(v *format.Value) int64 {
	n := int64(len(v.Text))
	if in := v.Captured; in != nil {
		n += int64(unsafe.Sizeof(*in)) + weighValues(in.Elements)
		if in.Message != nil {
			n += int64(unsafe.Sizeof("")) + int64(len(*in.Message))
		}
		for _, frame := range in.Frames {
			n += int64(unsafe.Sizeof(frame)) + int64(len(frame))
		}
		for i := range in.Fields {
			n += int64(unsafe.Sizeof(in.Fields[i])) + int64(len(in.Fields[i].Name)) + weighValue(&in.Fields[i].Value)
		}
	}
	return n
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

// newThread makes the node of a thread.
func (t *Tree) newThread(id int32) *Node {
	n := &Node{tree: t, thread: id, epoch: int32(t.now.epoch)}
	n.e.Store(&nodeData{state: StatePending})
	if s := t.now.view.Stream(id); s != nil {
		t.grow(n, t.now.view, s)
	}
	return n
}

// startOver unloads everything read from an index that was wrong. Threads
// stay, and stay expanded.
func (t *Tree) startOver(epoch int64) {
	t.roots.startOver()
	for _, n := range t.roots.made {
		expanded := n.expanded()
		t.memory.forget(n)
		n.kids, n.epoch = &kids{expanded: expanded}, int32(epoch)
		n.e.Store(&nodeData{state: StatePending})
	}
}

// grow brings a thread, and the chain of its last children, up to date.
func (t *Tree) grow(n *Node, v *index.View, s *index.Stream) {
	if was := n.e.Load(); was.state != StatePending || was.end == s.Size && was.after == s.Cells.Len() && s.Size > 0 && !v.Complete {
		return
	}
	e := &nodeData{end: s.Size, next: s.Size, state: StatePending, after: s.Cells.Len()}
	if v.Complete {
		e.state = StateWhole
	}
	n.e.Store(e)
	for n != nil && n.kids != nil && len(n.kids.slabs) > 0 {
		n.kids.exact = false
		n = t.growLast(n)
	}
}

// growLast brings the last loaded child of n up to date if its end was not
// known, and returns it if it stays loaded.
func (t *Tree) growLast(n *Node) *Node {
	p := n.kids.slabs[len(n.kids.slabs)-1]
	if len(p.nodes) == 0 {
		return nil
	}
	last := p.nodes[len(p.nodes)-1]
	old := last.e.Load()
	if old.state != StatePending {
		return nil
	}
	e, folds := *old, false
	e.state, e.foot = StateWhole, format.Footer{}
	err := t.r.use(func() error {
		w, err := t.r.walkerOn(t.now.view, n.thread)
		if err != nil {
			return err
		}
		l := &childReader{walker: w, folded: t.folded, start: n.e.Load().start, end: n.e.Load().end}
		if err := w.content(e.first, l.end, &e, true); err != nil || !t.folded || e.state == StatePending {
			return err
		}
		t.r.ctxMu.RLock()
		defer t.r.ctxMu.RUnlock()
		shown, err := l.fold(&e)
		folds = shown != &e
		return err
	})
	if t.r.doubt(err, t.now.view, t.now.epoch) != nil {
		// It is no longer true, and cannot be brought up to date.
		t.memory.cut(p, len(p.nodes)-1)
		return nil
	}
	if folds && !last.expanded() {
		// Only now can its folding be decided.
		t.memory.cut(p, len(p.nodes)-1)
		return nil
	}
	last.e.Store(&e)
	t.memory.heavier(p, weigh(&e)-weigh(old))
	p.to, p.toOrd = e.next, e.after
	return last
}
