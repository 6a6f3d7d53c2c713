package lazy

import "sort"

// markEvery is how many children lie between two marks at least, where a walk
// over children leaves some.
const markEvery = 1024

// mark is a place among a node's children that a walk can begin at. Unlike an
// anchor's, its number is not known.
type mark struct {
	pos int64 // logical: where a child begins, or a reference object before it
	ord int64 // ordinal of the first cell that ends at or behind pos
}

// markBefore returns the last mark but one before x: at least markEvery
// children lie between.
func markBefore(marks []mark, x int64) (mark, bool) {
	i := sort.Search(len(marks), func(i int) bool { return marks[i].pos >= x }) - 2
	if i < 0 {
		return mark{}, false
	}
	return marks[i], true
}

// mark keeps the places that a walk over n's children has passed. The slice
// that n had is not changed: who reads may have it.
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
