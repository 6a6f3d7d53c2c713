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
