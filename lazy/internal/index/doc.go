// Package index knows which containers a trace has, and where: from the index of the
// trace, which one pass loads and checks, or from a scan of the data, which also
// makes an index.
//
//	Loader   index ──one pass──┐
//	                           ├──► View: the streams of all threads, and their cells
//	Scan     data ──in steps───┘
//	           └──► Sink: the cells as an index has them
//	                  File      writes an index, and puts it into its place at the end
//	                  verifier  compares with an index that is there (Verify)
//
// A View never changes. Cells of a View that was loaded stay in the mapped index; of
// one that was scanned they are nowhere, and are found again from the data, a group
// at a time, from checkpoints that the scan has kept.
//
// What is read from a mapping, of the data or of the index, may only be asked for
// within [mapped.Guard]: all methods of [Cells], Scan.Step and Scan.Reveal, and
// Loader.Load.
//
// Offsets in a stream are logical: the contents of a thread's blocks, joined. Offsets
// in a file are physical. The place of a cell is its offset in the index that a
// streaming recorder writes, which need not exist.
package index
