// Package dataset writes traces as a dataset of Parquet files: one table of the calls of all traces, one of other
// points, and one of the traces. What its columns and its folders are is specified by docs/fleet.md.
//
//	DIR/trace=ID/_manifest.json            what was exported, and the files with their sizes
//	             trace.parquet             a row about the trace
//	             thread=N/calls.parquet    of thread N, from 1; thread=N-M if there are many threads
//	                      points.parquet
//	    .tracex-ID-RANDOM/                 a trace that is being written
//	    .tracex-ID-RANDOM.lock             locked by the process that writes it
//	    .tracex-ID-RANDOM.old/             what is being replaced, where two directories cannot change places at once
//
// # From points to files
//
//	part        visitor of a part of the trace: rows of the calls that begin and end in it, and of points
//	collector   joins, in the order of the trace, calls that are in several parts; numbers calls and points
//	sink        row groups that fill, and one that is being encoded by a goroutine of its own
//	table       the columns of a table, and what fills them; internal/parquetfile encodes them, several at once
//	folder      the directory that is written, and how it gets its place
//	names       texts and methods by number, so that rows are small and have no pointers
//
// Rows are in the order of the begin of calls, so a call that is open has a row that waits for its end. When a row
// group is full, the rows of open calls are kept, and get into the group that is filling when they end. So memory
// is bounded by two row groups, the parts that the pass is at, and the calls that are open.
//
// # Commit
//
// All files are written into a hidden folder, synced, and renamed to their place at once. There is no moment at which a
// reader finds a part of a trace. A process that finds the place taken compares manifests: the same options, then the
// trace is there already; other options, then it is an [ExistsError], or the trace is replaced. On Linux that is one
// exchange of directories; elsewhere the trace is absent for a moment, and an export that is killed in that moment is
// undone by the next one.
//
// What a killed process left is recognized by its lock, which ends with the process. Where there are no such locks it
// stays, hidden, until somebody removes it.
package dataset
