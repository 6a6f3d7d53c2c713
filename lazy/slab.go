package lazy

import (
	"sort"

	"tracex/lazy/internal/walk"
)

// covering returns the slab of n that covers a logical offset, or nil and the
// index where such a slab would be.
func (n *Node) covering(pos int64) (*slab, int) {
	if n.kids == nil {
		return nil, 0
	}
	slabs := n.kids.slabs
	i := sort.Search(len(slabs), func(i int) bool { return slabs[i].to > pos })
	if i < len(slabs) && slabs[i].from <= pos {
		return slabs[i], i
	}
	return nil, i
}

// gap returns the range around a logical offset that is not loaded, and the ordinal
// at its start.
func (n *Node) gap(pos int64) (from, to, ord int64, ok bool) {
	e := n.e.Load()
	from, to, ord = e.Start, e.End, e.First
	p, i := n.covering(pos)
	if p != nil || pos < from || pos >= to {
		return 0, 0, 0, false
	}
	if n.kids != nil {
		if i > 0 {
			from, ord = n.kids.slabs[i-1].to, n.kids.slabs[i-1].toOrd
		}
		if i < len(n.kids.slabs) {
			to = n.kids.slabs[i].from
		}
	}
	return from, to, ord, true
}

// node returns the index of the first node of p at or after pos.
func (p *slab) node(pos int64) int {
	return sort.Search(len(p.nodes), func(i int) bool { return p.nodes[i].e.Load().At >= pos })
}

// childRun is a run of children that have been read, for attach.
type childRun struct {
	from, to       int64
	fromOrd, toOrd int64
	list           []*walk.NodeData  // those that are shown
	read           walk.Instant      // the view they were read from
	passed         []walk.Checkpoint // checkpoints found on the way
}

// outdated cuts off a last child whose end was not known if the tree has grown since:
// it is no longer true. It reports whether all of s is outdated.
func (s *childRun) outdated(now walk.Instant) bool {
	switch {
	case s.read.Epoch != now.Epoch:
		return true
	case s.read.View == now.View:
		return false
	}
	if i := len(s.list) - 1; i >= 0 && s.list[i].State == StatePending {
		last := s.list[i]
		s.list, s.to, s.toOrd = s.list[:i], last.At, last.First
	}
	return false
}

// slabBefore returns the slab that ends at pos.
func (n *Node) slabBefore(pos int64) *slab {
	_, i := n.covering(pos)
	return n.kids.slabs[i-1]
}

// keep adds the checkpoints of a walk over the children. It replaces the old slice
// instead of changing it, since readers may hold it.
func (k *kids) keep(passed []walk.Checkpoint) {
	if len(passed) == 0 {
		return
	}
	old := k.checkpoints
	i := sort.Search(len(old), func(i int) bool { return old[i].Pos >= passed[0].Pos })
	j := i + sort.Search(len(old)-i, func(j int) bool { return old[i+j].Pos > passed[len(passed)-1].Pos })
	list := make([]walk.Checkpoint, 0, i+len(passed)+len(old)-j)
	k.checkpoints = append(append(append(list, old[:i]...), passed...), old[j:]...)
}

// newRun returns an empty run of the node's children.
func (l *nodeReader) newRun(pos, ord int64) *childRun {
	return &childRun{from: pos, to: pos, fromOrd: ord, toOrd: ord, read: l.Moment}
}
