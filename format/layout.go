package format

import "encoding/binary"

// Layout of a trace: the offsets and sizes in bytes of all fields at fixed positions, and the names of its files. Names
// that end in At are offsets from the start of the object, those that end in Size are sizes.
// This file is the only place that defines them; all code uses the names. All numbers are
// big-endian. On disk, do not change.

// The same in all objects.
const (
	KindAt = 0 // the Kind, in data and in index cells
	IDSize = 4 // of any id: of a thread, event, method, code location …
	// UTFHeadSize is the size of the length before the bytes of a utf.
	UTFHeadSize = 2
	countSize   = 4 // of the number of elements before a list
)

// Header of a data file and of an index; see [TimesHeaderSize] for that of the times.
//
//	0  magic u64
//	8  version u64
const (
	// HeaderSize is the size in bytes of the header of data and index.
	HeaderSize      = 16
	headerVersionAt = 8
)

// Trace point: the fields that all of them begin with. The rest depends on the class, see
// [Point.Append].
//
//	 0  kind u8
//	 1  class u8, see [Version.PointClass]
//	 2  code location id i32; -1: unknown
//	 6  thread id i32
//	10  event id i32
//	14  diff status i8
const (
	PointClassAt    = 1
	PointLocationAt = 2
	PointThreadAt   = 6
	PointEventAt    = 10
	PointDiffAt     = 14
	// PointHeadSize is the size of the fields that all trace points begin with.
	PointHeadSize = 15
)

// Trace points by class. The offsets for a container assume no diff statuses; each status moves
// the following fields by one byte.
//
//	call       15 statuses, 16 method i32, 20 receiver, then count i32, arguments, flags i16
//	loop       15 statuses, 16 loop i32
//	iteration  15 statuses, 16 loop i32, 20 number i32
//	variable   15 variable i32, 19 value
//	field      15 field i32, 19 object, then value
//	array      15 array, then index i32, value
//	throw      15 exception
const (
	StatusCountAt     = PointHeadSize // of a container: how many diff statuses follow
	StatusCountSize   = 1
	CallMethodAt      = PointHeadSize + StatusCountSize
	CallReceiverAt    = CallMethodAt + IDSize
	CallFlagsSize     = 2
	LoopIDAt          = PointHeadSize + StatusCountSize
	LoopHeadSize      = LoopIDAt + IDSize
	IterationNumberAt = LoopHeadSize
	IterationHeadSize = IterationNumberAt + 4
	LeafIDAt          = PointHeadSize // of a variable or field
	LeafValueAt       = LeafIDAt + IDSize
	ArrayAt           = PointHeadSize // of an array read or write
	ArrayIndexSize    = 4
	ThrownAt          = PointHeadSize
)

// Footer: the kind, then fields that depend on the class of the container.
//
//	call       1 result, then the exception
//	loop       1 iterations i32
//	iteration  nothing
const (
	FooterSize       = 1 // of an iteration: the part that all footers have
	CallResultAt     = FooterSize
	LoopIterationsAt = FooterSize
	LoopFooterSize   = LoopIterationsAt + 4
)

// Block in a data file: its head, objects, BLOCK_END.
//
//	0  kind u8
//	1  thread id i32
const (
	BlockThreadAt = 1
	BlockHeadSize = BlockThreadAt + IDSize
	BlockEndSize  = 1
)

// Reference object: its id follows the kind; in a code location after version 19 it follows the
// kind of location. See [Version.ReferenceID].
const (
	referenceIDAt = 1
	locationIDAt  = 2
)

// Cell of an index.
//
//	 0  kind u8
//	 1  id i32
//	 5  start i64
//	13  end i64
const (
	CellIDAt    = 1
	CellStartAt = 5
	CellEndAt   = 13
	// CellSize is the size of an index cell in bytes.
	CellSize = 21
	// IndexTail is the size in bytes of the end of an index: the EOF cell and the magic again.
	IndexTail = CellSize + 8
)

// Header of a file of times, and a cell of its version 1: see times.go.
//
//	header                           cell
//	 0  magic u64                     0  id of the index cell i32
//	 8  version u64                   4  start i64
//	16  anchor i64                   12  duration i64
const (
	TimesHeaderSize = 24 // bytes
	timesVersionAt  = 8
	timesAnchorAt   = 16
	timeStartAt     = 4
	timeDurationAt  = 12
	TimeCellSize    = 20 // bytes
)

// Value of version 22: a class id, or a negative number that is its kind, then fields by kind.
//
//	object  0 class i32, 4 identity hash i32, 8 count of what is captured i32
//	number  4 its bytes
//	text    4 utf
const (
	ValueHeadSize22    = 4
	ObjectIdentityAt22 = 4
	ObjectCountAt22    = 8
	ObjectSize22       = 12 // without captured state
)

// Value of version 27: a kind, then fields by kind.
//
//	object     1 class i32, 5 identity hash i32, captured: 9 count of fields i32
//	array      the same, 9 length i32, captured: 13 count of elements i32
//	exception  as an object, captured: 9 bool, message utf if true, count of frames i32
//	number     1 its bytes
//	text       1 utf
const (
	ValueHeadSize27    = 1
	ObjectClassAt27    = 1
	ObjectIdentityAt27 = 5
	ObjectSize27       = 9 // without captured state
	FieldCountAt27     = 9
	ArrayLengthAt27    = 9
	ArraySize27        = 13
	ElementCountAt27   = 13
)

// MaxObjectSize is the largest size of an object without captured state, or of a number, in any
// version.
const MaxObjectSize = max(ObjectSize22, ObjectSize27, ValueHeadSize22+8, ValueHeadSize27+8)

// LocationOf returns the code location id of the trace point at the start of b, which must have
// PointHeadSize bytes.
func LocationOf(b []byte) int32 { return int32(binary.BigEndian.Uint32(b[PointLocationAt:])) }

// ThreadOf returns the thread id of the trace point at the start of b.
func ThreadOf(b []byte) int32 { return int32(binary.BigEndian.Uint32(b[PointThreadAt:])) }

// EventOf returns the event id of the trace point at the start of b.
func EventOf(b []byte) int32 { return int32(binary.BigEndian.Uint32(b[PointEventAt:])) }

// CallFlags returns the flags of the call whose header is b, which must be whole.
func CallFlags(b []byte) int16 { return int16(binary.BigEndian.Uint16(b[len(b)-CallFlagsSize:])) }

// IterationOf returns the number of the iteration at the start of b, which must be whole, from 0.
func IterationOf(b []byte, v Version) int32 {
	return int32(binary.BigEndian.Uint32(b[IterationNumberAt+v.StatusCount(b[StatusCountAt]):]))
}

// IterationsOf returns the number of iterations in the footer of a loop, at the start of b.
func IterationsOf(b []byte) int32 { return int32(binary.BigEndian.Uint32(b[LoopIterationsAt:])) }

// PutPointHead writes the beginning of a trace point to b, without a diff status, and one more
// byte: in a container the count of its diff statuses; other points overwrite it. b must have
// room for 16 bytes: two stores of eight take half the time of one for each field.
func PutPointHead(b []byte, class byte, location, thread, event int32, statuses byte) {
	id := uint64(uint32(thread))
	binary.BigEndian.PutUint64(b, uint64(KindTracePoint)<<56|uint64(class)<<48|uint64(uint32(location))<<16|id>>16)
	binary.BigEndian.PutUint64(b[8:], id<<48|uint64(uint32(event))<<16|0xff<<8|uint64(statuses))
}

// ReferenceID returns the id of the reference object at the start of b, which must be whole.
func (v Version) ReferenceID(b []byte) int32 {
	at := referenceIDAt
	if Kind(b[KindAt]) == KindCodeLocation && v > V19 {
		at = locationIDAt
	}
	return int32(binary.BigEndian.Uint32(b[at:]))
}

// AppendBlockHead appends the head of a block.
func AppendBlockHead(dst []byte, thread int32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(KindBlockStart)), uint32(thread))
}

// BlockThread returns the thread id of the block at the start of b, which must have
// BlockHeadSize bytes.
func BlockThread(b []byte) int32 { return int32(binary.BigEndian.Uint32(b[BlockThreadAt:])) }

// CellStart returns the start of the index cell at the start of b, which must have CellSize bytes.
func CellStart(b []byte) int64 { return int64(binary.BigEndian.Uint64(b[CellStartAt:])) }

// CellEnd returns the end of the index cell at the start of b.
func CellEnd(b []byte) int64 { return int64(binary.BigEndian.Uint64(b[CellEndAt:])) }

// Suffixes of a trace's files: the name of its data plus a suffix. On disk, do not change.
const (
	IndexSuffix  = ".idx"  // the index
	TimesSuffix  = ".tim"  // the times
	SumSuffix    = ".sum"  // the summary; see package lazy
	LiveSuffix   = ".live" // what a recorder has not written yet; see package recorder
	PackedSuffix = ".packedtrace"
	// RecordingSuffix is that of the directory for a recording through shared memory until its
	// trace is written.
	RecordingSuffix = ".recording"
	NotesSuffix     = ".notes" // marks, notes and the last session; see package lazy/notes
)
