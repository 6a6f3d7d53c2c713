package recorder

import (
	"encoding/binary"

	"tracex/format"
)

// layout22 is the layout of version 22: a value begins with four bytes, the id of its class or
// a negative number that is its kind. On disk, do not change.
var layout22 = layout{
	version: format.V22,
	width:   format.ValueHeadSize22,
	kinds: [wireKinds]uint32{
		nullKind:   1<<32 - 1,
		voidKind:   1<<32 - 2,
		byteKind:   1<<32 - 3,
		shortKind:  1<<32 - 4,
		intKind:    1<<32 - 5,
		longKind:   1<<32 - 6,
		floatKind:  1<<32 - 7,
		doubleKind: 1<<32 - 8,
		charKind:   1<<32 - 9,
		stringKind: 1<<32 - 10,
		rawKind:    1<<32 - 12,
		boolKind:   1<<32 - 13,
		typeKind:   1<<32 - 14, // a class is shown by the given text
	},
	points:   pointsOf(format.V22),
	classes:  classesOf(pointsOf(format.V22)),
	subtree:  0,
	returned: 2, // the length of an empty name
	void:     0x09_fffffffe_0000 << 8,
	voidSize: 7,
}

// putObject22 writes an object without fields.
func putObject22(b []byte, class, identity int32) int {
	_ = b[format.ObjectSize22-1]
	putInt32(b, class)
	putInt32(b[format.ObjectIdentityAt22:], identity)
	putInt32(b[format.ObjectCountAt22:], 0)
	return format.ObjectSize22
}

// putMark22 writes a mark as the string that readers recognize.
func putMark22(b []byte, mark kind) int {
	if mark == untrackedKind {
		n := layout22.putKind(b, rawKind)
		return n + putText(b[n:], format.UntrackedResult, maxText)
	}
	n := layout22.putKind(b, stringKind)
	return n + putText(b[n:], format.UnfinishedMethod, maxText)
}

// endFields22 sets the number of fields, which follows class and identity.
func endFields22(dst []byte, at, n int) []byte {
	putInt32(dst[at+format.ObjectCountAt22:], int32(n))
	return dst
}

// endElements22 sets the number of elements; its sign marks an array.
func endElements22(dst []byte, at, length, n int) []byte {
	putInt32(dst[at+format.ObjectCountAt22:], int32(-n-1))
	return binary.BigEndian.AppendUint32(dst, uint32(length))
}
