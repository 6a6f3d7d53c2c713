package values

import (
	"encoding/binary"

	"tracex/format"
)

// layout27 is the layout of version 27: a value begins with one byte that is its kind. On disk,
// do not change.
var layout27 = Layout{
	Version: format.V27,
	width:   format.ValueHeadSize27,
	kinds: [wireKinds]uint32{
		NullKind:   0,
		VoidKind:   1 << 24,
		ByteKind:   3 << 24,
		ShortKind:  4 << 24,
		IntKind:    5 << 24,
		LongKind:   6 << 24,
		FloatKind:  7 << 24,
		DoubleKind: 8 << 24,
		CharKind:   9 << 24,
		BoolKind:   10 << 24,
		StringKind: 11 << 24,
		RawKind:    decimal27 << 24,
		TypeKind:   decimal27 << 24, // ".class" would be shown after the name of a class
	},
	points:   pointsOf(format.V27),
	classes:  classesOf(pointsOf(format.V27)),
	subtree:  0xff, // none; 0 is an empty set
	Returned: 1,    // there is no name
	Void:     0x09_01_00 << 40,
	VoidSize: 3,
}

// Kinds of values that are not in the table.
const (
	integer27       = 13 // a number that is shown as its text
	decimal27       = 14 // the same; any text may be one
	object27        = 15
	objectFields27  = 16
	array27         = 17
	arrayElements27 = 18
	exception27     = 20
	exceptionText27 = 21
	unfinished27    = 24
	untracked27     = 25
)

// putReference27 writes an object or an exception without its content.
func putReference27(b []byte, kind byte, class, identity int32) int {
	_ = b[format.ObjectSize27-1]
	b[0] = kind
	PutInt32(b[format.ObjectClassAt27:], class)
	PutInt32(b[format.ObjectIdentityAt27:], identity)
	return format.ObjectSize27
}

// putFailure27 writes an exception with the first max characters of its message, and
// without frames.
func putFailure27(b []byte, class, identity int32, message string, max int) int {
	n := putReference27(b, exceptionText27, class, identity)
	b[n] = 1 // there is a message
	n++
	n += putText(b[n:], message, max)
	PutInt32(b[n:], 0)
	return n + 4
}

func putMark27(b []byte, mark Kind) int {
	b[0] = unfinished27
	if mark == UntrackedKind {
		b[0] = untracked27
	}
	return 1
}

// endFields27 sets the number of fields, which follows class and identity. An object without
// fields has another kind, and no number.
func endFields27(dst []byte, at, n int) []byte {
	if n == 0 {
		return dst[:at+format.ObjectSize27]
	}
	dst[at] = objectFields27
	PutInt32(dst[at+format.FieldCountAt27:], int32(n))
	return dst
}

// endElements27 sets the number of elements, which follows the array's length.
func endElements27(dst []byte, at, n int) []byte {
	if n == 0 {
		dst[at] = array27
		return dst[:at+format.ArraySize27]
	}
	dst[at] = arrayElements27
	PutInt32(dst[at+format.ElementCountAt27:], int32(n))
	return dst
}

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
