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

import "slices"

// The header, by offsets in bytes. On disk, do not change: the version's number is in the
// magic.
const (
	// magic 002 had times of version 1, which are told by their header, and magic 001 no AtFormat: its objects
	// are of version 22 of the trace's format.
	magic = "tracex live 003\n"

	AtMagic    = 0
	AtOrder    = 16 // orderMark, as this machine writes it
	AtPID      = 24
	AtState    = 32 // see StateRecording
	atFirst    = 40 // first page of each kind of slots
	AtBlock    = 56 // the recorder's block size
	AtFlags    = 64
	AtHeap     = 72 // chunks in use without room in the file
	AtRedo     = 80 // the region of the transaction, followed by its size
	atRedoN    = 88
	atBegun    = 96  // number of the last complete transaction
	atDone     = 104 // of the last one that was carried out
	atLength   = 112 // bytes of the transaction
	AtClock    = 128 // two regions, their sizes, and which of them is current: 5 numbers
	AtBase     = 168 // when the clock began, nanoseconds since 1970
	AtNames    = 176 // first region of the log of names, followed by how much of it is written
	AtRecorder = 192 // number of a recorder that uses a service
	AtOffset   = 200 // from its clock's nanoseconds to those since the machine booted
	AtLatest   = 208 // the latest nanosecond of its clock in a block
	AtFormat   = 216 // the version of the format of the objects; 0 for 22
	AtMissing  = 224 // trace points that are lost because the service has gone
	AtCounts   = 256 // numbers in use, for each kind of name: 16 numbers
	AtFiles    = 512 // the files, each in FileSize bytes: see AtFill

	headerSize = 4096
	orderMark  = 0x0102030405060708
)

// begins reports whether bytes are the beginning of a live file.
func begins(b []byte) bool {
	return len(b) >= len(magic) && slices.Contains([]string{magic, "tracex live 002\n", "tracex live 001\n"}, string(b[:len(magic)]))
}

// States of a live file, in AtState.
const (
	StateOver      = 0 // there is nothing to finish
	StateRecording = 1
	StateEnding    = 2 // everything waits to be written, including the end of the files
)

// One of the files, from AtFiles on: what waits to be written, and what is being written. Pos
// is where in the file it goes.
const (
	FileSize = 64

	AtFill      = 0
	AtFillLen   = 8
	AtFillPos   = 16
	AtWrite     = 24
	AtWriteLen  = 32
	AtWritePos  = 40
	numberBytes = 8
)

// Kind is a kind of slots.
type Kind int

const (
	Chunks  Kind = 0
	Threads Kind = 1
	kinds        = 2
)

// slotSizes is how many bytes a slot of each kind takes.
var slotSizes = [kinds]int64{Chunks: 64, Threads: 128}

const (
	slotPage   = 4096
	atNextPage = 0
	firstSlot  = 64
)

// least is the size of the smallest region, in bytes.
const least = 256

// Numbers of a chunk's slot, by offsets in bytes. Its state is the thread's id, with SlotInUse.
const (
	SlotInUse = 1 << 32

	ChunkNumber    = 8
	ChunkPublished = 16
	ChunkLimit     = 24 // TakenAway and what was published then; 0 if it was not taken away
	ChunkFlushed   = 32
	ChunkRegion    = 40
	ChunkSizes     = 48 // bytes of data, and in the low half the number of marks

	TakenAway = 1 << 63
)

// Numbers of a thread's slot.
const (
	ThreadLogical = 8
	ThreadLatest  = 16
	ThreadReading = 24
	ThreadDepth   = 32 // blocks, and in the low half the depth of the stack
	ThreadStack   = 40 // the region of the stack, its size
	ThreadPut     = 56 // the number of the last chunk from which the sink has something
	ThreadDropped = 64
	ThreadNote    = 72
	ThreadEnded   = 80
	ThreadBegun   = 88 // the number of the last chunk that was begun
	ThreadName    = 96 // length of the name; it follows, or is in a region if it is longer than ShortName
	ThreadShort   = 104
	ShortName     = 24
)

// StackEntry is the size of a container in the stack's region: start, ns, class,
// iterations, event.
const StackEntry = 32

// Flags of the file.
const (
	HasTimes   = 1
	HasCounter = 2
)

// Numbers of the slot of a thread whose parts go to a service. A part is sent in these steps,
// between any two of which the program may end:
//
//	SharedEnd, ThreadPut   where it ends, if it is in a chunk
//	SharedSending          it may have arrived from here on
//	the part itself
//	SharedNumber           it has arrived: this one store settles it
//	ChunkFlushed           of its chunk
//	SharedSending          none is being sent
const (
	SharedEnd     = 8  // how much of the chunk ThreadPut is sent with the part: as in ChunkFlushed; 0 if it is in none
	SharedSending = 16 // one more than the number of the part being sent; 0 if none is
	SharedNumber  = 24 // of the next part
)

// A region of the log of names, by offsets in bytes.
const (
	NamesNext   = 0  // offset of the next region
	NamesLen    = 8  // how many bytes this one has
	NamesBefore = 16 // how many bytes were logged before it
	NamesHead   = 24 // encoded reference objects, in the order of their registration
)

// entryHead is the size of an entry's head: the offset of its bytes in the file, and their
// number.
const entryHead = 16
