package lazy

import (
	"sort"

	"tracex/format"
	"tracex/lazy/internal/fold"
	"tracex/lazy/internal/index"
)

// childReader reads children of one node. It must be used within use.
type childReader struct {
	*walker
	folded      bool
	inline      bool                    // see Inline
	start       int64                   // of the node's content
	end         int64                   // end of the node's content
	moment      moment                  // the view that it reads
	checkpoints []checkpoint            // checkpoints of the node
	lender      *dataPool               // of data for folding; nil to allocate them
	folder      *fold.Folder[*nodeData] // nil until the first point is folded
	begins      format.Point            // the first child of a call being folded
	chain       []format.Cell           // containers around the target offset, outermost first; nil if not known
	target      int64
	edit        *editing // of an edited tree; nil for others
}

// childRead is the result of reading or skipping a child.
type childRead struct {
	ok    bool       // there is a child
	shown bool       // it does not fold to nothing
	data  *nodeData  // as it is shown; nil if it is not shown, or was skipped and is as recorded
	next  checkpoint // where the next child begins; the end of the content if there is no child

	// In an edited tree:
	at      checkpoint // of the child
	entered bool       // it is merged: next is in it; or there was none where it was read
	left    bool       // it is left out
	dropped bool       // it is left out with all in it
}

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

// dataPool lends nodeData, and takes all back at once.
type dataPool struct {
	all  []*nodeData
	lent int
}

func (s *dataPool) take() *nodeData {
	if s.lent == len(s.all) {
		s.all = append(s.all, new(nodeData))
	}
	s.lent++
	return s.all[s.lent-1]
}

// moment is the view that something was read from, with its epoch.
type moment struct {
	view  *index.View
	epoch int64
}
