package live

import "bytes"

// The header, by offsets in bytes. On disk, do not change: the version's number is in the
// magic.
const (
	// magic 001 had no AtFormat: its objects are of version 22 of the trace's format.
	magic, olderMagic = "tracex live 002\n", "tracex live 001\n"

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
	return bytes.HasPrefix(b, []byte(magic)) || bytes.HasPrefix(b, []byte(olderMagic))
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
