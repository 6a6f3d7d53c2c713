// Package values has the values of a trace as a recorder makes them, and writes them, as each
// version of the format wants them.
//
// Functions of package recorder make them of Go values: Capture, in value_capture.go, reads any value by
// reflection; Of and End make those of results, in result.go. [Value.Put] encodes them.
package values

import (
	"encoding/binary"
	"unsafe"

	"tracex/format"
)

// Value is a value in memory. It does not depend on the version.
type Value struct {
	Kind Kind
	// Class is the lower half of the number of an object's class; for a failure, the number of
	// its type, see ErrorNumber; for a moment, its nanoseconds.
	Class int32
	// Bits is a number. The low half of an object's is its identity, the high half the upper
	// half of its class's number; for an encoded value the high half is that of the classes in
	// it. The low half of a failure's is its identity, the high half where in the text the
	// message begins.
	Bits uint64
	Text string
}

// Kind is the kind of a Value. These numbers are used only in memory: a [Layout] has those of
// the file. With 32 bits a Value is copied faster than with 8.
type Kind uint32

const (
	NullKind Kind = iota
	VoidKind
	ByteKind
	ShortKind
	IntKind
	LongKind
	FloatKind
	DoubleKind
	CharKind
	BoolKind
	StringKind
	RawKind
	TypeKind
	wireKinds // the kinds above are written as a number and what a Layout has, in all versions

	ObjectKind    // without captured fields
	ExceptionKind // an object that is an error

	// The room that the kinds from here on take depends on the kind, see textRoom.

	EncodedKind    // text: its bytes in the file
	ExactKind      // like RawKind, but never cut
	UnfinishedKind // a mark; text: how it reads
	UntrackedKind  // also a mark

	// The text of the kinds from here on is made when they are written, so that making them
	// allocates nothing.

	DurationKind
	MomentKind  // bits: seconds; class: nanoseconds
	BytesKind   // text: the bytes
	FailureKind // an error with its message; text: type and message

	firstMade = EncodedKind
)

// Shift is where the upper half of a number begins.
const Shift = 32

// Unfinished is the result of a call that was never ended, and Untracked that of one whose
// result is unknown.
var (
	Unfinished = Value{Kind: UnfinishedKind, Text: format.UnfinishedMethod}
	Untracked  = Value{Kind: UntrackedKind, Text: format.UntrackedResult}
)

// Exact is a text without quotes that is not cut as those of strings are.
func Exact(text string) Value { return Value{Kind: ExactKind, Text: text} }

func PutInt32(b []byte, v int32) { binary.BigEndian.PutUint32(b, uint32(v)) }

// Ellipsis follows a text that was cut.
const Ellipsis = "..."

// putText writes a utf of the first max characters of s, with an ellipsis if there are more,
// and returns the number of bytes.
func putText(b []byte, s string, max int) int {
	part := s
	if len(s) > max {
		part = s[:max]
	}
	if !format.PlainUTF(unsafe.Slice(unsafe.StringData(part), len(part))) {
		return len(AppendText(b[:0], s, max))
	}
	n := format.UTFHeadSize + copy(b[format.UTFHeadSize:], part)
	if len(part) < len(s) {
		n += copy(b[n:], Ellipsis)
	}
	binary.BigEndian.PutUint16(b, uint16(n-format.UTFHeadSize))
	return n
}

// AppendText is putText for any text, into a slice that may grow.
func AppendText(dst []byte, s string, max int) []byte {
	dst, err := format.AppendUTF(dst, Shorten(s, max))
	if err != nil {
		return append(dst, 0, 0) // impossible: Shorten leaves less than the limit
	}
	return dst
}

// Shorten returns s, or, if it is longer than max characters, its beginning and an ellipsis.
func Shorten(s string, max int) string {
	short := Cut(s, max)
	if len(short) < len(s) {
		short += Ellipsis
	}
	return short
}

// Cut returns the first max characters of s as Java counts them: those above U+FFFF are two,
// and are never split.
func Cut(s string, max int) string {
	if len(s) <= max { // no character has less than a byte for each of those it counts as
		return s
	}
	for i, r := range s {
		if max--; r > 0xffff {
			max--
		}
		if max < 0 {
			return s[:i]
		}
	}
	return s
}

const (
	// MaxText is the most characters a text may keep: at three bytes each they stay below the
	// format's limit of 65,535 bytes.
	MaxText = 21_000
	// MaxException is how many characters of the name of an exception's type are kept.
	MaxException = 1000
)
