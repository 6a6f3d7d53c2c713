package lazy

import "sort"

// checkpointEvery is the minimum number of children between two checkpoints that a walk leaves.
const checkpointEvery = 1024

// checkpoint is a child of a node from which a walk can begin. Unlike a childTally, it does
// not have the number of the child.
type checkpoint struct {
	pos int64 // logical: offset of a child, or of a reference object before it
	ord int64 // ordinal of the first cell that ends at or after pos

	// In an edited tree:
	in *splice // what the child was recorded in; not kept
	of int64   // in.at, if it is kept
}

// checkpointBefore returns the last checkpoint but one before x: at least checkpointEvery
// children are in between.
func checkpointBefore(list []checkpoint, x int64) (checkpoint, bool) {
	i := sort.Search(len(list), func(i int) bool { return list[i].pos >= x }) - 2
	if i < 0 {
		return checkpoint{}, false
	}
	return list[i], true
}

// keep adds the checkpoints of a walk over the children. It replaces the old slice
// instead of changing it, since readers may hold it.
func (k *kids) keep(passed []checkpoint) {
	if len(passed) == 0 {
		return
	}
	old := k.checkpoints
	i := sort.Search(len(old), func(i int) bool { return old[i].pos >= passed[0].pos })
	j := i + sort.Search(len(old)-i, func(j int) bool { return old[i+j].pos > passed[len(passed)-1].pos })
	list := make([]checkpoint, 0, i+len(passed)+len(old)-j)
	k.checkpoints = append(append(append(list, old[:i]...), passed...), old[j:]...)
}
