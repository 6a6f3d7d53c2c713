// Package live keeps what a recorder has not yet written in a file that is mapped into memory.
// The memory belongs to the system: if the program is killed, or ends without Stop, the file
// has every byte that was stored before, and another process can finish the recording.
//
// A [File] hands out regions of memory, and slots: records of a fixed size that describe what is
// in the regions. The numbers of a slot that one goroutine changes at a time are stored
// atomically, in an order in which each state makes sense. Numbers that must change together
// are changed by a [Tx], which takes effect as a whole or not at all.
//
// # The file
//
//	0      header, one page: see the offsets that begin with At
//	4096   regions, each a power of two in bytes and aligned to its size
//
// Numbers are 64 bits wide and in the machine's own byte order: only the machine that wrote a
// file reads it. Offset zero means none.
//
// Pages of slots are regions of [slotPage] bytes, one list for each [Kind]:
//
//	0    offset of the next page of the same kind
//	64   slots, in sequence; the first number of each is its state: 0 is free
//
// # What a crash can cut
//
// If the program is killed, each of its threads has executed a prefix of its instructions, and
// the system shows all of their stores to any process that maps the file later. If the machine
// crashes, what the system had not written to disk is lost. So readers of a File check
// everything in it.
package live
