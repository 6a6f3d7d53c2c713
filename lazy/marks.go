package lazy

import "sort"

// markEvery is the minimum number of children between two marks that a walk leaves.
const markEvery = 1024

// mark is a checkpoint among a node's children, from which a walk can begin. Unlike an
// anchor, it does not have the number of the child.
type mark struct {
	pos int64 // logical: offset of a child, or of a reference object before it
	ord int64 // ordinal of the first cell that ends at or after pos
}

// markBefore returns the last mark but one before x: at least markEvery
// children are in between.
func markBefore(marks []mark, x int64) (mark, bool) {
	i := sort.Search(len(marks), func(i int) bool { return marks[i].pos >= x }) - 2
	if i < 0 {
		return mark{}, false
	}
	return marks[i], true
}

// mark keeps the checkpoints of a walk over n's children. It replaces the old slice
// instead of changing it, since readers may hold it.
func (t *Tree) mark(n *Node, s *stretch) {
	if len(s.passed) == 0 || s.read.epoch != t.now.epoch || n.kids == nil {
		return
	}
	old := n.kids.marks
	i := sort.Search(len(old), func(i int) bool { return old[i].pos >= s.passed[0].pos })
	j := i + sort.Search(len(old)-i, func(j int) bool { return old[i+j].pos > s.passed[len(s.passed)-1].pos })
	marks := make([]mark, 0, i+len(s.passed)+len(old)-j)
	n.kids.marks = append(append(append(marks, old[:i]...), s.passed...), old[j:]...)
}
