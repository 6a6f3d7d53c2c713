package lazy

import (
	"context"

	"tracex/format"
)

// Edits decide which containers an edited tree shows, see [EditedTree]. Any goroutine may call
// their methods, which must not call the tree: it may be locked.
type Edits interface {
	// Begin returns the state at the beginning of a thread.
	Begin(thread int32) EditState
	// Enter decides about a container. The state is that of the container around it, whether or not
	// that is shown. The second result is the state in this one.
	Enter(in EditState, p *PassPoint) (Edit, EditState)
	// Leaves tells which points that are no containers are shown in a state.
	Leaves(in EditState) EditLeaves
	// Leaf decides about a point that is no container, for LeavesAsked.
	Leaf(in EditState, p *PassPoint) Edit
	// Barren reports whether it is certain that nothing that begins in a part of a thread is shown,
	// provided that what is open where it begins has the state. bare reports whether the part is within
	// a container that has no row, in which no point is shown that is no container, nor in those in it
	// that are open where the part begins. It may be slow.
	Barren(in EditState, part PassRange, bare bool) bool
}

// EditState is what Edits know about what is around a point. It does not change.
type EditState any

// Edit is what Edits do with a point.
type Edit uint8

const (
	EditNone  Edit = iota
	EditMerge      // it has no row: the rows in it are in its place
	EditDrop       // it has no row, and nothing in it has one
)

// EditLeaves tells which points that are no containers are shown.
type EditLeaves uint8

const (
	LeavesAll   EditLeaves = iota
	LeavesNone             // all are merged
	LeavesAsked            // those that [Edits].Leaf says
)

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
func EditedTree(r *LazyTraceReader, folded bool, e Edits) *Tree { return newTree(r, folded, e) }

// Edited reports whether containers are left out, see [EditedTree].
func (ld *loader) Edited() bool { return ld.edits != nil }

// LeftOut reports whether the edits are why the tree does not show what is at a position;
// n is the node that [Tree.Reveal] returned for it.
func (ld *loader) LeftOut(ctx context.Context, n *Node, p Position) (left bool) {
	e := n.e.Load()
	if ld.edits == nil || p.At < 0 || p.At < e.start || p.At >= e.end {
		return false
	}
	ld.read(n, func(l *childReader) error { // without the data nothing can be told
		at, err := l.before(ctx, p.At)
		if err != nil {
			return err
		}
		if in := at.in; in.outer != nil && p.At >= in.end {
			left = true // its footer
			return nil
		}
		var c nodeData
		read, err := l.step(at, &c, false)
		left = err == nil && read.left && c.at <= p.At
		return err
	})
	return left
}

// splice is a container without a row, whose children are read in its place; or, outermost, the node
// whose children are read. It does not change.
type splice struct {
	outer *splice // nil for the node
	at    int64   // logical: of the header
	start int64   // of the content, as the view shows it
	end   int64
	first int64 // ordinal of the first cell that ends at or after start
	next  int64 // where outer's children continue; of the first cell that ends at or after that
	after int64
	depth int32 // how many containers are around what is in it, as recorded, with the thread
	text  format.Parent
	state EditState
	// leaves is Edits.Leaves of state.
	leaves EditLeaves
}

// holds reports whether an offset is in the content, or at one of its ends.
func (s *splice) holds(at int64) bool { return s.outer == nil || s.start <= at && at <= s.end }

// readWay is where a read of the children of an edited node ended. The next one often begins there.
type readWay struct {
	n    *Node
	read moment
	at   checkpoint
}

// recentWays are the last ones.
type recentWays struct {
	list [4]readWay
	next int
}

func (w *recentWays) keep(n readWay) {
	for i := range w.list {
		if have := &w.list[i]; have.n == n.n && have.at.in == n.at.in {
			*have = n
			return
		}
	}
	w.list[w.next] = n
	w.next = (w.next + 1) % len(w.list)
}

// editing is what a childReader needs to read the children of a node of an edited tree.
type editing struct {
	edits Edits
	node  *splice
	ways  []checkpoint // where reads of these children ended
	ended checkpoint   // where this one did; the zero value if it need not be remembered
	walk  passWalk
	point PassPoint    // the argument of Enter
	frame passFrame    // the call around it
	whole []checkpoint // checkpoints passed, see before
}

// editing returns an editing for the children of n. The loader is locked.
func (ld *loader) editing(n *Node, m moment) *editing {
	if ld.edits == nil {
		return nil
	}
	e := n.e.Load()
	s := &splice{at: e.at, start: e.start, end: e.end, first: e.first, next: e.end, after: e.after, depth: int32(RecordedDepth(n)) + 1}
	if n.IsThread() {
		s.at, s.state = -1, ld.edits.Begin(n.thread)
	} else {
		s.text, s.state = format.ParentOf(&e.point), e.inside
	}
	if n.IsThread() || e.container() {
		s.leaves = ld.edits.Leaves(s.state)
	}
	x := &editing{edits: ld.edits, node: s}
	for i := range ld.ways.list {
		if w := &ld.ways.list[i]; w.n == n && w.read == m {
			x.ways = append(x.ways, w.at)
		}
	}
	return x
}

// RecordedDepth returns the Depth that a node of an edited tree has in one that is not.
func RecordedDepth(n *Node) int {
	if e := n.e.Load(); e.in != nil {
		return int(e.in.depth)
	}
	return n.Depth()
}

// DroppedIn returns how many children of a node the edits of its tree drop, of those that [Node.Count]
// has passed.
func DroppedIn(n *Node) int64 {
	dropped, _ := leftOutIn(n)
	return dropped
}

// MergedIn returns how many points have no row in the place of a node's children because the edits merge
// them, or the calls that they are in, of those that [Node.Count] has passed.
func MergedIn(n *Node) int64 {
	_, merged := leftOutIn(n)
	return merged
}

func leftOutIn(n *Node) (dropped, merged int64) {
	n.loader.mu.Lock()
	defer n.loader.mu.Unlock()
	if n.kids == nil {
		return 0, 0
	}
	return n.kids.dropped, n.kids.merged
}
