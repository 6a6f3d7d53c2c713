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

import "tracex/lazy/internal/mapped"

// View is what is known of a trace at one moment. It never changes: when more is
// known there is another View, which shares memory with the previous one.
type View struct {
	Streams  Streams
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
	if i, found := v.Streams.Search(thread); found {
		return v.Streams.At(i)
	}
	return nil
}

// Size returns the size of a thread's stream in bytes; 0 if the trace has none.
func (v *View) Size(thread int32) int64 {
	if i, found := v.Streams.Search(thread); found {
		return v.Streams.Size(i)
	}
	return 0
}

// Dumped reports whether the cells are in the order of dump writers.
func (v *View) Dumped() bool { return v.Streams.packed != nil && v.Streams.packed.cells.dump }
