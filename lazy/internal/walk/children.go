package walk

import (
	"sort"

	"tracex/format"
	"tracex/lazy/internal/fold"
	"tracex/lazy/internal/index"
)

// ChildReader reads children of one node. It must be used within use.
type ChildReader struct {
	*Walker
	Folded      bool
	Inline      bool                    // see Inline
	Start       int64                   // of the node's content
	End         int64                   // end of the node's content
	Moment      Instant                 // the view that it reads
	Checkpoints []Checkpoint            // checkpoints of the node
	Lender      *DataPool               // of data for folding; nil to allocate them
	folder      *fold.Folder[*NodeData] // nil until the first point is folded
	begins      format.Point            // the first child of a call being folded
	Chain       []format.Cell           // containers around the target offset, outermost first; nil if not known
	Target      int64
	Edit        *Editing // of an edited tree; nil for others
}

// ChildRead is the result of reading or skipping a child.
type ChildRead struct {
	Ok    bool       // there is a child
	Shown bool       // it does not fold to nothing
	Data  *NodeData  // as it is shown; nil if it is not shown, or was skipped and is as recorded
	Next  Checkpoint // where the next child begins; the end of the content if there is no child

	// In an edited tree:
	At      Checkpoint // of the child
	Entered bool       // it is merged: next is in it; or there was none where it was read
	Left    bool       // it is left out
	Dropped bool       // it is left out with all in it
}

// CheckpointEvery is the minimum number of children between two checkpoints that a walk leaves.
const CheckpointEvery = 1024

// Checkpoint is a child of a node from which a walk can begin. Unlike a childTally, it does
// not have the number of the child.
type Checkpoint struct {
	Pos int64 // logical: offset of a child, or of a reference object before it
	Ord int64 // ordinal of the first cell that ends at or after pos

	// In an edited tree:
	In *Splice // what the child was recorded in; not kept
	of int64   // in.at, if it is kept
}

// CheckpointBefore returns the last checkpoint but one before x: at least CheckpointEvery
// children are in between.
func CheckpointBefore(list []Checkpoint, x int64) (Checkpoint, bool) {
	i := sort.Search(len(list), func(i int) bool { return list[i].Pos >= x }) - 2
	if i < 0 {
		return Checkpoint{}, false
	}
	return list[i], true
}

// DataPool lends NodeData, and takes all back at once.
type DataPool struct {
	all  []*NodeData
	Lent int
}

func (s *DataPool) take() *NodeData {
	if s.Lent == len(s.all) {
		s.all = append(s.all, new(NodeData))
	}
	s.Lent++
	return s.all[s.Lent-1]
}

// Instant is the view that something was read from, with its epoch.
type Instant struct {
	View  *index.View
	Epoch int64
}
