// Package index determines which containers a trace has, and where: from the index of the
// trace, which one pass loads and checks, or from a scan of the data, which also
// makes an index.
//
//	Loader   index ──one pass──┐
//	                           ├──► View: the streams of all threads, and their cells
//	Scan     data ──in steps───┘
//	           └──► Sink: the cells in index order
//	                  File      writes an index, and commits it when it is complete
//	                  verifier  compares with an existing index (Verify)
//
// The pass finds out whether the index contradicts the data (pass_check.go); the error is
// an [ErrContradiction]. Walks over the data check each cell that they use.
//
// A View never changes. The cells of a loaded View stay in the mapped index; those of a
// scanned View are not stored, but found again in the data, a group at a time, from
// checkpoints that the scan has kept.
//
// Functions that read a mapping, of the data or of the index, may only be called
// within [mapped.Guard]: all methods of [Cells], Scan.Step and Scan.Reveal, and
// Loader.Load.
//
// Offsets in a stream are logical: the contents of a thread's blocks, joined. Offsets
// in a file are physical. The position of a cell is its offset in the index that a
// streaming recorder writes; that index need not exist.
package index

import (
	"sort"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// View is what is known of a trace at one moment. It never changes: when more is
// known there is another View, which shares memory with the previous one.
type View struct {
	Streams  []*Stream    // by thread id
	Complete bool         // the whole data file is known: no more will follow
	EOF      bool         // the data has its end mark
	Blocks   int          // of all threads
	Index    *mapped.File // the index that the cells are in; nil if none
	Data     *mapped.File // the data that was scanned; nil if none
	// Cells is how many cells the index has, or would have if a recorder had written
	// it so far, excluding the end cell.
	Cells int64
}

// Stream returns the stream of a thread; nil if the trace has none.
func (v *View) Stream(thread int32) *Stream {
	i := sort.Search(len(v.Streams), func(i int) bool { return v.Streams[i].Thread >= thread })
	if i < len(v.Streams) && v.Streams[i].Thread == thread {
		return v.Streams[i]
	}
	return nil
}

// Dumped reports whether the cells are in the order of dump writers.
func (v *View) Dumped() bool {
	for _, s := range v.Streams {
		if c, ok := s.Cells.(*mappedCells); ok {
			return c.dump
		}
	}
	return false
}

// Cells are the containers of one thread in post-order: a container follows
// everything that it contains, and ends rise strictly. They are numbered from
// 0; that number is called ordinal. The results have not been checked
// against the data.
type Cells interface {
	// Len is the number of containers whose end is known.
	Len() int64
	// At returns the cell of an ordinal from 0 to below Len.
	At(ord int64) format.Cell
	// WithOffset is At, and returns the offset of the cell, in bytes,
	// in the index that a streaming recorder writes for the data.
	WithOffset(ord int64) (c format.Cell, cellAt int64)
	// FirstEnding returns the first ordinal whose end is x or more; Len()
	// if there is none.
	FirstEnding(x int64) int64
	// FirstAround returns the first ordinal, not less than from, whose start is
	// x or less; Len() if there is none. With from = FirstEnding(x) that
	// is the innermost container around x.
	FirstAround(from, x int64) int64
	// Around is FirstAround, with the cell and its offset if there is one. hint
	// belongs to the caller, who passes it from call to call, beginning with 0.
	Around(from, x int64, hint *int) (ord int64, c format.Cell, cellAt int64)
}
