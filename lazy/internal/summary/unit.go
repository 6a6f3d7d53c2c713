// Package summary reads and writes summary files: what each part of a trace has in it, and tables of
// the whole, in about 1 % of the data's size. A part is called a unit: so much of a thread as one
// goroutine visits at a time in a pass, or several short threads.
//
// A summary is never trusted more than the trace. It fits if size and samples of the data, and of the
// times, are those that it was made from. All its bytes are under checksums; what does not check is
// as if it were not there.
//
// On disk, do not change. Numbers are big-endian; varint is that of encoding/binary, signed zigzags.
//
//	magic        8 bytes
//	units        one record after the other
//	tables       opaque to this package
//	directory
//	trailer      TrailerSize bytes
//
//	trailer:
//	 0  version    u32
//	 4  flags      u32: 1 the trace has times
//	 8  data       size u64, checksum u32 of samples
//	20  times      size u64, checksum u32 of samples; 0 without times
//	32  tables     size u64, checksum u32
//	44  directory  size u64, checksum u32
//	56  reserved   4 bytes, 0
//	60  checksum   u32 of the bytes of the trailer before, and of the magic before them
//
//	directory (varints, apart from checksums):
//	    unit       bytes of a thread in a unit
//	    n          streams, in the order of threads
//	    n times:   thread (signed, less that of the one before), size
//	    n          units
//	    n times:   threads, size, checksum u32      threads: 0 for the next part of a thread, otherwise
//	                                                how many whole threads; size of the record
//
//	unit (varints):
//	    points, calls, throws
//	    first event (signed), last event less the first
//	    classes    bit n for class n
//	    longest    1 + the largest duration of a container that begins in the unit; 0 for none
//	    sets       SetCount of them:
//	        n      ids
//	        form   if n > 0: 0 gaps, 1 bits
//	        first  id (signed)
//	        gaps   n-1 times: less 1            or bits: a size, bytes; bit k is first + 1 + k
//	    objects    0 none, 1 a filter, 2 any
//	        filter size, bytes
//
// All checksums are CRC-32C.
package summary

import (
	"encoding/binary"
	"math"

	"tracex/lazy/internal/decode"
)

// Unit is what a unit of a trace has in it.
type Unit struct {
	Points, Calls, Throws int64 // Throws: calls that ended by an exception; raw or folded, whichever are more
	First, Last           int32 // events, the smallest and the largest; both 0 without points
	Classes               uint32
	Longest               int64 // of the containers that begin in it, in nanoseconds; -1 if none has a time
	Sets                  [SetCount][]int32
	Objects               Objects
}

// Append appends a unit, whose sets it sorts, with the objects that have these distinct keys; more
// tells that there are others.
func (u *Unit) Append(dst []byte, objects []uint64, more bool) []byte {
	for _, n := range [...]int64{u.Points, u.Calls, u.Throws} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	dst = binary.AppendVarint(dst, int64(u.First))
	dst = binary.AppendUvarint(dst, uint64(int64(u.Last)-int64(u.First)))
	dst = binary.AppendUvarint(dst, uint64(u.Classes))
	dst = binary.AppendUvarint(dst, uint64(u.Longest+1))
	for _, ids := range u.Sets {
		dst = appendSet(dst, ids)
	}
	return appendObjects(dst, objects, more)
}

// Decode reads a unit, which keeps a part of b. It reuses the memory of the sets. ok is false if b
// is no unit.
func (u *Unit) Decode(b []byte) (ok bool) {
	d := decoder{decode.Reader{B: b}}
	u.Points, u.Calls, u.Throws = d.Number(), d.Number(), d.Number()
	u.First = d.ID()
	last := int64(u.First) + int64(d.Next()&math.MaxUint32)
	d.Bad = d.Bad || last > math.MaxInt32
	u.Last = int32(last)
	u.Classes = uint32(d.Next())
	u.Longest = d.Number() - 1
	for i := range u.Sets {
		u.Sets[i] = d.set(u.Sets[i])
	}
	u.Objects = d.objects()
	return !d.Bad && len(d.B) == 0
}
