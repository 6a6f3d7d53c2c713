// Package live keeps what a recorder has not yet written in a file that is mapped
// into memory. The memory belongs to the system: when the program is killed, or
// ends without a word, the file has every byte that was stored before, and another
// process finishes what the program could not.
//
// A [File] hands out pieces of memory, and slots: records of a fixed size that say
// what is in the pieces. The numbers of a slot that one goroutine changes at a time
// are atomic stores, in an order in which each moment makes sense. What several
// numbers say together is changed by a [Tx], which is there as a whole or not at
// all.
//
// # The file
//
//	0      header, one page: see the offsets that begin with At
//	4096   pieces, each a power of two in bytes and aligned to its size
//
// Numbers are 64 bits wide and of the machine's own byte order: only the machine
// that wrote a file reads it. Offset zero means none.
//
// Pages of slots are pieces of [slotPage] bytes, one list for each [Kind]:
//
//	0    offset of the next page of the same kind
//	64   slots, one behind the other; the first number of each is its state: 0
//	     is free
//
// # What a crash of the program can cut
//
// A program that is killed has done a first part of each of its threads'
// instructions and nothing of the rest; the system shows all of the stores to
// whoever maps the file later. A crash of the machine is another matter: what the
// system did not write to the disk by then is gone, and whoever reads a File checks
// everything that it says.
package live
