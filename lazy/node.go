package lazy

import (
	"sync"
	"sync/atomic"

	"tracex/format"
	"tracex/lazy/internal/walk"
)

// Node is a thread or a trace point. Its own data changes only while its end is not
// known; its children are loaded and forgotten.
type Node struct {
	loader *loader
	parent *Node
	thread int32
	depth  int32
	epoch  int32 // of the loader when the node was read; for a thread, guarded as below
	e      atomic.Pointer[walk.NodeData]

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
	checkpoints []walk.Checkpoint
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
	return &n.e.Load().Point
}

// Footer returns the node's footer: the zero Footer for a leaf, the result of
// [format.Unfinished] for a container without one.
func (n *Node) Footer() *format.Footer { return &n.e.Load().Foot }

// State returns whether the end of the node is known.
func (n *Node) State() State { return n.e.Load().State }

// Leaf reports whether the node certainly has no children.
func (n *Node) Leaf() bool {
	e := n.e.Load()
	if !e.HasContent() && e.State != StatePending {
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
	case !n.e.Load().HasContent() && n.e.Load().State != StatePending:
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
	if e.State == StatePending {
		return 0, 0
	}
	total = e.End - e.Start
	switch {
	case n.kids == nil || len(n.kids.tallies) == 0:
		return 0, total
	case n.kids.exact:
		return total, total
	}
	return n.kids.tallies[len(n.kids.tallies)-1].pos - e.Start, total
}

// Offset returns the physical and the logical offset of the node's header or leaf.
func (n *Node) Offset() (physical, logical int64) {
	at := n.e.Load().At
	s := n.loader.r.Known.Load().Stream(n.thread)
	if s == nil {
		return -1, at
	}
	return s.Physical(at), at
}

// Fraction returns where the node is in its thread's stream, from 0 for the first point to 1; in the file
// while the stream is not completely known.
func (n *Node) Fraction() float64 { return fraction(n, n.e.Load().At) }

// fraction is Fraction for a logical offset in the node's thread.
func fraction(n *Node, at int64) float64 {
	v := n.loader.r.Known.Load()
	s := v.Stream(n.thread)
	if s == nil || s.Size == 0 {
		return 0
	}
	if data, _ := n.loader.r.Sizes(); !v.Complete && data > 0 {
		return float64(max(0, s.Physical(at))) / float64(data)
	}
	first := n.loader.r.FirstPoint(v, n.thread)
	return float64(max(0, at-first)) / float64(max(1, s.Size-first))
}

// around returns what the text of a point needs to know of the container that it was recorded in.
func (n *Node) around() format.Parent {
	switch e := n.e.Load(); {
	case e.In != nil:
		return e.In.Text
	case n.IsThread() || n.parent.IsThread():
		return format.Parent{}
	}
	return format.ParentOf(&n.parent.e.Load().Point)
}

// childTally is a checkpoint among the children of a node, with what was counted before it.
type childTally struct {
	pos  int64 // logical: offset of a child, or of a reference object before it
	ord  int64 // ordinal of the first cell that ends at or after pos
	rows int64 // children shown before it
	time childTime

	dropped int64 // children before it that are left out with all in them
	merged  int64 // points before it that have no row for other edits
}

// timesArrived reports whether children must be counted once more: some times were
// missing during the last count, as in a growing trace, and may exist now. The loader
// is locked.
func timesArrived(n *Node) bool {
	k := n.kids
	return k.time.missed && n.e.Load().State != StatePending && n.loader.r.TimesSize() > k.timesSize
}

// readWay is where a read of the children of an edited node ended. The next one often begins there.
type readWay struct {
	n    *Node
	read walk.Instant
	at   walk.Checkpoint
}

// recentWays are the last ones.
type recentWays struct {
	list [4]readWay
	next int
}

// Handle returns the handle of n: the number of its event, or for a thread its position.
func (n *Node) Handle() Handle {
	if n.IsThread() {
		return PositionHandle(Position{Thread: n.thread, At: -1})
	}
	return EventHandle(n.e.Load().Point.Event)
}

// Inlined returns the position of the iteration that has no row of its own, because it is the only one
// of the loop n; ok is false if there is none.
func Inlined(n *Node) (p Position, ok bool) {
	at := n.e.Load().Inner
	return Position{Thread: n.thread, At: at}, at > 0
}

// slabNodes is the maximum number of children loaded into a slab, and slabReads the
// maximum number of trace points read for it: more than slabNodes, since some fold
// to nothing.
const (
	slabNodes = 128
	slabReads = 4096
)

// loader loads the children of nodes, raw or folded, counts them, and keeps the loaded
// ones within a budget. It knows nothing of rows.
type loader struct {
	r      *walk.Reader
	folded bool
	inline bool // see Inline

	// mu guards all fields below, and all slabs and kids. Lock order: mu before the
	// reader's locks.
	mu     sync.Mutex
	now    walk.Instant // the view that the nodes were read from
	memory memory
	view   *view // what the tree shows of the nodes; nil for all
	edits  Edits // nil if nothing is left out; it does not change
	ways   recentWays
	leap   int64 // leapFirst, or less in tests
}

// memory is what a loader holds in memory, within a budget: slabs of nodes, and the known
// part of the order of sorted ones. The least recently used are forgotten first. It knows
// neither files nor threads. Its owner locks it.
type memory struct {
	budget    int64    // bytes
	recent    slabList // slabs, most recently used first
	tick      uint64   // counts the calls that mark rows as used, from 1: 0 is never
	bytes     int64    // estimated, of all nodes
	stuck     int64    // bytes when the last enforce left too much; 0 if it did not
	round     uint64   // counts the calls of enforce that looked
	loaded    int64
	forgotten int64
}

// slabList is a ring of slabs, most recently used first.
type slabList struct{ head slab }

// Position returns the position of n; for a thread, its beginning.
func (n *Node) Position() Position { return Position{Thread: n.thread, At: n.e.Load().At} }

// roots are the threads of a tree, by id. A thread that no row has shown takes no
// memory: its id is in the view, and its node is made on demand.
type roots struct {
	n    int               // number of threads
	id   func(i int) int32 // the id of the i-th thread; ids rise
	made map[int32]*Node
	make func(id int32) *Node
	view *view // what is shown of them; nil for all
	// more: later views may lack some of the threads.
	more bool
}

// forgotten reports whether the node is no longer in memory.
func (n *Node) forgotten() bool { return n.parent != nil && n.slab == nil }

func (n *Node) expanded() bool { return n.kids != nil && n.kids.expanded }

// view is what a tree shows of a trace. It is guarded by the loader's lock. A nil view shows everything.
type view struct {
	wanted
	threads *roots
	stamp   uint32            // changes with what is shown, other than by places that are found
	too     map[int32][]int64 // more places, by thread; sorted
	opened  []opened          // what the user wants to see in spite of its being left out
	folds   folds
	counts  map[leftKey]int64 // of children of what is left out
	shown   map[Position]shownCount
}

// slab is a slab: a run of neighboring children of a node that are in memory. All its
// fields are guarded by the loader's lock.
type slab struct {
	parent         *Node
	from, to       int64 // logical: the range of the parent's content that it covers
	fromOrd, toOrd int64 // ordinals of the first cells that end at or after from and to
	nodes          []*Node
	bytes          int64
	tick           uint64 // when it was last used
	round          uint64 // when it was last left
	newer, older   *slab  // in the list of memory
}

// sorter orders the children of nodes by their weights, and loads children by their
// rank. What it knows of an order is in the node and within the loader's budget.
type sorter struct {
	*loader
	maxRange int // maximum number of children in a range of a sorted node
}

// childTime is how long the calls in a node took, as far as a walk over its children has seen them.
type childTime struct {
	sum    int64 // ns
	loops  int64 // bytes of the loops among the children
	missed bool  // the time of some container is not known
	more   bool  // not all loops were read
}
