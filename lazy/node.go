package lazy

import (
	"sync/atomic"
	"unsafe"

	"tracex/format"
)

// Node is a thread or a trace point. Its own data changes only while its end is not
// known; its children are loaded and forgotten.
type Node struct {
	loader *loader
	parent *Node
	thread int32
	depth  int32
	epoch  int32 // of the loader when the node was read; for a thread, guarded as below
	e      atomic.Pointer[nodeData]

	// Guarded by loader.mu:
	slab *slab // that holds the node; nil for a thread, and when forgotten
	slot int32 // in slab.nodes
	seen uint64
	kids *kids
	// See view.free.
	asked uint32
	free  bool
}

// kids is what a node knows of its children.
type kids struct {
	expanded    bool
	slabs       []*slab // by offset
	tallies     []childTally
	checkpoints []checkpoint
	counted     int64     // rows counted so far
	exact       bool      // whether all were counted
	time        childTime // of the calls in those counted
	dropped     int64     // with those counted, how many are left out with all in them
	merged      int64     // with those counted, how many points have no row for other edits
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
	n.loader.mu.Lock()
	defer n.loader.mu.Unlock()
	return n.kids != nil && len(n.kids.slabs) > 0
}

// Count returns the number of the node's children counted so far. exact means that
// all of them have been counted, with their times if the trace has times. known is
// false if none have been counted.
func (n *Node) Count() (count int64, exact, known bool) {
	n.loader.mu.Lock()
	defer n.loader.mu.Unlock()
	return n.count()
}

// count is Count. The loader is locked.
func (n *Node) count() (count int64, exact, known bool) {
	switch {
	case !n.e.Load().hasContent() && n.e.Load().state != StatePending:
		return 0, true, true
	case n.kids == nil || n.kids.counted == 0 && !n.kids.exact:
		return 0, false, false
	}
	return n.kids.counted, n.kids.exact && !timesArrived(n), true
}

// Counting returns how far the children have been counted: done of total bytes of the
// node's content. total is 0 if its end is not known.
func (n *Node) Counting() (done, total int64) {
	n.loader.mu.Lock()
	defer n.loader.mu.Unlock()
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
	s := n.loader.r.known.Load().Stream(n.thread)
	if s == nil {
		return -1, at
	}
	return s.Physical(at), at
}

// Fraction returns where the node is in its thread's stream, from 0 for the first point to 1; in the file
// while the stream is not completely known.
func (n *Node) Fraction() float64 { return fraction(n, n.e.Load().at) }

// fraction is Fraction for a logical offset in the node's thread.
func fraction(n *Node, at int64) float64 {
	v := n.loader.r.known.Load()
	s := v.Stream(n.thread)
	if s == nil || s.Size == 0 {
		return 0
	}
	if data, _ := n.loader.r.Size(); !v.Complete && data > 0 {
		return float64(max(0, s.Physical(at))) / float64(data)
	}
	first := n.loader.r.firstPoint(v, n.thread)
	return float64(max(0, at-first)) / float64(max(1, s.Size-first))
}

// around returns what the text of a point needs to know of the container that it was recorded in.
func (n *Node) around() format.Parent {
	switch e := n.e.Load(); {
	case e.in != nil:
		return e.in.text
	case n.IsThread() || n.parent.IsThread():
		return format.Parent{}
	}
	return format.ParentOf(&n.parent.e.Load().point)
}

// nodeSize is the memory that a node takes, excluding its values.
const nodeSize = int64(unsafe.Sizeof(Node{}) + unsafe.Sizeof(nodeData{}) + 16)

// spliceSize is the memory that a container without a row takes while what is in it has rows.
const spliceSize = int64(unsafe.Sizeof(splice{}))

// weigh estimates the memory that a trace point takes, in bytes.
func weigh(e *nodeData) int64 {
	n := nodeSize + int64(cap(e.point.Subtree)) + weighValues(e.point.Args) +
		weighValue(&e.point.Target) + weighValue(&e.point.Value) + weighValue(&e.foot.Result) + int64(len(e.foot.Exception))
	if e.in != nil {
		n += spliceSize // neighbors often share one, but each can have its own
	}
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
