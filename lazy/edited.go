package lazy

import (
	"tracex/format"
	"tracex/lazy/internal/walk"
)

// Edited reports whether containers are left out, see [EditedTree].
func (ld *loader) Edited() bool { return ld.edits != nil }

func (w *recentWays) keep(n readWay) {
	for i := range w.list {
		if have := &w.list[i]; have.n == n.n && have.at.In == n.at.In {
			*have = n
			return
		}
	}
	w.list[w.next] = n
	w.next = (w.next + 1) % len(w.list)
}

// editing returns an editing for the children of n. The loader is locked.
func (ld *loader) editing(n *Node, m walk.Instant) *walk.Editing {
	if ld.edits == nil {
		return nil
	}
	e := n.e.Load()
	s := &walk.Splice{At: e.At, Start: e.Start, End: e.End, First: e.First, Next: e.End, After: e.After, Depth: int32(RecordedDepth(n)) + 1}
	if n.IsThread() {
		s.At, s.State = -1, ld.edits.Begin(n.thread)
	} else {
		s.Text, s.State = format.ParentOf(&e.Point), e.Inside
	}
	if n.IsThread() || e.Container() {
		s.Leaves = ld.edits.Leaves(s.State)
	}
	x := &walk.Editing{Edits: ld.edits, Node: s}
	for i := range ld.ways.list {
		if w := &ld.ways.list[i]; w.n == n && w.read == m {
			x.Ways = append(x.Ways, w.at)
		}
	}
	return x
}

// RecordedDepth returns the Depth that a node of an edited tree has in one that is not.
func RecordedDepth(n *Node) int {
	if e := n.e.Load(); e.In != nil {
		return int(e.In.Depth)
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

// keepWay keeps where a read of the children of a node ended.
func (ld *loader) keepWay(n *Node, l *nodeReader) {
	if l.Edit == nil || l.Edit.Ended.In == nil {
		return
	}
	ld.mu.Lock()
	defer ld.mu.Unlock()
	ld.ways.keep(readWay{n, l.Moment, l.Edit.Ended})
}

// leapFirst is about how many bytes it is asked first whether nothing in them is shown.
const leapFirst = 64 << 10
