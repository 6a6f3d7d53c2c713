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
