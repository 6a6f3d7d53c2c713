package values

import (
	"encoding/binary"

	"tracex/format"
)

// layout22 is the layout of version 22: a value begins with four bytes, the id of its class or
// a negative number that is its kind. On disk, do not change.
var layout22 = Layout{
	Version: format.V22,
	width:   format.ValueHeadSize22,
	kinds: [wireKinds]uint32{
		NullKind:   1<<32 - 1,
		VoidKind:   1<<32 - 2,
		ByteKind:   1<<32 - 3,
		ShortKind:  1<<32 - 4,
		IntKind:    1<<32 - 5,
		LongKind:   1<<32 - 6,
		FloatKind:  1<<32 - 7,
		DoubleKind: 1<<32 - 8,
		CharKind:   1<<32 - 9,
		StringKind: 1<<32 - 10,
		RawKind:    1<<32 - 12,
		BoolKind:   1<<32 - 13,
		TypeKind:   1<<32 - 14, // a class is shown by the given text
	},
	points:   pointsOf(format.V22),
	classes:  classesOf(pointsOf(format.V22)),
	subtree:  0,
	Returned: 2, // the length of an empty name
	Void:     0x09_fffffffe_0000 << 8,
	VoidSize: 7,
}

func putObject22(b []byte, class, identity int32) int {
	_ = b[format.ObjectSize22-1]
	PutInt32(b, class)
	PutInt32(b[format.ObjectIdentityAt22:], identity)
	PutInt32(b[format.ObjectCountAt22:], 0)
	return format.ObjectSize22
}

// putMark22 writes a mark as the string that readers recognize.
func putMark22(b []byte, mark Kind) int {
	if mark == UntrackedKind {
		n := layout22.PutKind(b, RawKind)
		return n + putText(b[n:], format.UntrackedResult, MaxText)
	}
	n := layout22.PutKind(b, StringKind)
	return n + putText(b[n:], format.UnfinishedMethod, MaxText)
}

// endFields22 sets the number of fields, which follows class and identity.
func endFields22(dst []byte, at, n int) []byte {
	PutInt32(dst[at+format.ObjectCountAt22:], int32(n))
	return dst
}

// endElements22 sets the number of elements; its sign marks an array.
func endElements22(dst []byte, at, length, n int) []byte {
	PutInt32(dst[at+format.ObjectCountAt22:], int32(-n-1))
	return binary.BigEndian.AppendUint32(dst, uint32(length))
}
