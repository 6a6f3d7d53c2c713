// Package calltrace writes the trace of calls that converters read from the files of other tools:
// it numbers descriptors and events, keeps the stack of each thread, and makes blocks, index cells
// and times.
//
// Events whose order is known go to a [Thread]: each thread gets its own in order of time. Those of
// files in any order go to a [Track], which sorts them, with a limited amount of memory and a
// temporary file for the rest, and puts calls that overlap without being one in the other on
// threads of their own.
//
// Converters that encode events themselves use its parts: a [Dictionary] numbers descriptors, and
// [Blocks] decides when the blocks of threads are written.
//
// Nothing that a converter passes on needs to make sense: ends without a begin, times that go back,
// and texts that the format cannot hold are counted in the [Summary] and left out or mended.
//
// # How a track becomes threads
//
// The events of a track are sorted by time; events of one time stay in the order in which they were
// added, but of the calls that took time the longer ones come first. An end ends the innermost open
// call that has its [Label], whatever began in between; without one it is counted, unless a call with its
// label begins at the same time and has no other end. A call without an end is unfinished, and lasts as
// long as what is around it. Each call goes to the first thread of the track in which it is inside the
// calls that are open there, or where none is open. One that ends later by no more than the unit of the track's times is
// inside, too, and ends with them: begins and durations are rounded. Values of variables go to the first thread, and are inside
// the calls that are open there.
//
// # Where descriptors are
//
// What points refer to (classes, methods, places and names) must be in the file before them, or in
// the same block. New descriptors wait until the next block is written, whichever thread has it, and
// are at its end. While only tracks have events no block is written: then the descriptors go to the
// temporary file, too, and the next thread that begins has them in blocks before its first event.
//
// # Limits
//
// Memory grows with the threads and tracks that are open, but not with their events:
//
//	unwritten blocks of all threads       16 MiB, and as much again for their index and times
//	events of tracks                      Options.Memory; the rest in a temporary file. There are
//	                                      also tracks that are closed, unless they have many events
//	texts that are known by their number  262,144; one that is forgotten is written again
//	open calls                            524,288 in a thread, 2,097,152 in all
//	arguments of a call                   1,024, and 1 MiB
//	threads of a track                    1,024
package calltrace
