package recorder

import (
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"tracex/format"
)

// Value is a value as the trace keeps it. Making one allocates nothing, except when
// [Recorder.Capture] looks into an object. A Value can be reused, by any goroutine and with
// recorders of any version; a captured one only with its own recorder. The zero Value is null.
type Value struct {
	kind kind
	// class is the lower half of the number of an object's class; for a failure, the number of
	// its type in errorTypes.
	class int32
	// bits is a number. The low half of an object's is its identity, the high half the upper
	// half of its class's number; for an encoded value the high half is that of the classes in
	// it. The low half of a failure's is its identity, the high half where in the text the
	// message begins.
	bits uint64
	text string
}

// kind is the kind of a Value. These numbers are used only in memory: a layout has those of the
// file. With 32 bits a Value is copied faster than with 8.
type kind uint32

const (
	nullKind kind = iota
	voidKind
	byteKind
	shortKind
	intKind
	longKind
	floatKind
	doubleKind
	charKind
	boolKind
	stringKind
	rawKind
	typeKind
	wireKinds // the kinds above are written as a number and what a layout has, in all versions

	objectKind    // without captured fields
	exceptionKind // an object that is an error

	// The room that the kinds from here on take depends on the kind, see textRoom.

	encodedKind    // text: its bytes in the file
	exactKind      // like rawKind, but never cut
	unfinishedKind // a mark; text: how it reads
	untrackedKind  // also a mark

	// The text of the kinds from here on is made when they are written, so that making them
	// allocates nothing.

	durationKind
	momentKind  // bits: seconds; class: nanoseconds
	bytesKind   // text: the bytes
	failureKind // an error with its message; text: type and message

	firstMade = encodedKind
)

// terms is what writing a value depends on.
type terms struct {
	text   int32  // characters kept of a string
	tag    uint32 // upper half of numbers that the recorder knows
	r      *Recorder
	layout *layout
}

func (r *Recorder) terms() terms {
	return terms{text: int32(r.config.MaxString), tag: r.tag, r: r, layout: r.layout}
}

// Null is the null reference, and the receiver of a function without one.
func Null() Value { return Value{} }

// Void is the result of a function without one.
func Void() Value { return Value{kind: voidKind} }

// Bool is a boolean.
func Bool(v bool) Value {
	if v {
		return Value{kind: boolKind, bits: 1}
	}
	return Value{kind: boolKind}
}

// Int is an int: 32 bits in the file if they are enough, else 64.
func Int(v int) Value {
	if int(int32(v)) == v {
		return Value{kind: intKind, bits: uint64(v)}
	}
	return Value{kind: longKind, bits: uint64(v)}
}

// Int8 is a byte of the format, which is signed.
func Int8(v int8) Value { return Value{kind: byteKind, bits: uint64(v)} }

// Int16 is a short.
func Int16(v int16) Value { return Value{kind: shortKind, bits: uint64(v)} }

// Int32 is an int of the format.
func Int32(v int32) Value { return Value{kind: intKind, bits: uint64(v)} }

// Int64 is a long.
func Int64(v int64) Value { return Value{kind: longKind, bits: uint64(v)} }

// Uint is an unsigned integer, of any size: the smallest signed kind that holds it, from int
// on. One above the largest long is its decimal text, which takes an allocation.
func Uint(v uint64) Value {
	switch {
	case v <= math.MaxInt32:
		return Value{kind: intKind, bits: v}
	case v <= math.MaxInt64:
		return Value{kind: longKind, bits: v}
	}
	return number(strconv.FormatUint(v, 10))
}

// number is a number as text. Unlike other texts it is never cut.
func number(digits string) Value { return exact(digits) }

// Float32 is a float.
func Float32(v float32) Value {
	return Value{kind: floatKind, bits: uint64(math.Float32bits(v))}
}

// Float64 is a double.
func Float64(v float64) Value {
	return Value{kind: doubleKind, bits: math.Float64bits(v)}
}

// Char is a character. The format's chars have 16 bits: one that needs more is a string.
func Char(r rune) Value {
	if r < 0 || r > 0xffff {
		return String(string(r))
	}
	return Value{kind: charKind, bits: uint64(r)}
}

// String is a string, shown in quotes. The trace keeps its beginning, see
// [Config.MaxString].
func String(s string) Value { return Value{kind: stringKind, text: s} }

// Raw is a text that is shown without quotes: the name of a constant, or a number of a kind
// that the format does not know. It is cut as strings are.
func Raw(s string) Value { return Value{kind: rawKind, text: s} }

// TypeName is a type as a value, shown by its name.
func TypeName(name string) Value { return Value{kind: typeKind, text: name} }

// Object is an object of a class. identity distinguishes it from other objects; [Identity]
// makes one from its address.
func Object(c Class, identity int32) Value {
	return Value{kind: objectKind, class: int32(c), bits: uint64(upper(int64(c)))<<upperShift | uint64(uint32(identity))}
}

// Pointer is the object that p points to, distinguished from others by its address; null if p
// is nil. The object is on the heap, where nothing moves it.
func Pointer[T any](c Class, p *T) Value {
	if p == nil {
		return Null()
	}
	if keep.on {
		keep.at = unsafe.Pointer(p)
	}
	return Object(c, Identity(uintptr(unsafe.Pointer(p))))
}

// keep is never on. That it could be makes the compiler put Pointer's argument on the heap: on
// a stack its address would change when the stack grows.
var keep struct {
	on bool
	at unsafe.Pointer
}

// Identity makes from an address the number that distinguishes an object from others. It is
// never negative.
func Identity(address uintptr) int32 {
	a := uint64(address) >> 3 // objects are aligned: the lowest bits carry no information
	return int32((a ^ a>>31) & math.MaxInt32)
}

// room returns how many bytes the value takes at most, in any version. A value that takes more
// than 12 has a text.
func (v *Value) room(by *terms) int {
	if v.text == "" {
		return format.MaxObjectSize
	}
	return v.textRoom(by)
}

// put writes the value to b, which has room for it, and returns the number of
// bytes.
func (v *Value) put(b []byte, by *terms) int {
	switch v.kind {
	case nullKind:
		return by.layout.putKind(b, nullKind)
	case intKind, floatKind:
		return by.layout.put32(b, v.kind, uint32(v.bits))
	case objectKind:
		if uint32(v.bits>>upperShift) != by.tag {
			return v.putUnregistered(b, by)
		}
		return by.layout.putObject(b, v.class-1, int32(v.bits))
	case stringKind, typeKind:
		n := by.layout.putKind(b, v.kind)
		return n + putText(b[n:], v.text, int(by.text))
	case rawKind:
		return by.layout.putRaw(b, v.text, int(by.text))
	}
	return v.putRare(b, by)
}

// putUnregistered writes an object of a class that the recorder does not know, or of a captured
// value with such classes in it.
func (v *Value) putUnregistered(b []byte, by *terms) int {
	n, identity := int64(v.bits>>upperShift), int32(0)
	if v.kind != encodedKind {
		n, identity = n|int64(v.class), int32(v.bits)
	}
	return by.layout.putObject(b, by.unregistered(n), identity)
}

// unregistered counts the use of a number that the recorder does not know, and returns the id
// of the class that replaces it.
func (by *terms) unregistered(n int64) int32 {
	if by.r == nil {
		return 0 // nothing is recorded
	}
	by.r.counts.misuse.number(n)
	return by.r.unregisteredClass()
}

func (v *Value) putRare(b []byte, by *terms) int {
	if v.kind > wireKinds {
		return v.putMade(b, by)
	}
	n := by.layout.putKind(b, v.kind)
	switch v.kind {
	case byteKind, boolKind:
		b[n] = byte(v.bits)
		return n + 1
	case shortKind, charKind:
		b[n], b[n+1] = byte(v.bits>>8), byte(v.bits)
		return n + 2
	case longKind, doubleKind:
		binary.BigEndian.PutUint64(b[n:], v.bits)
		return n + 8
	}
	return n // void
}

func putInt32(b []byte, v int32) { binary.BigEndian.PutUint32(b, uint32(v)) }

const ellipsis = "..."

// putText writes a utf of the first max characters of s, with an ellipsis if there are more,
// and returns the number of bytes.
func putText(b []byte, s string, max int) int {
	part := s
	if len(s) > max {
		part = s[:max]
	}
	if !plain(part) {
		return len(appendText(b[:0], s, max))
	}
	n := format.UTFHeadSize + copy(b[format.UTFHeadSize:], part)
	if len(part) < len(s) {
		n += copy(b[n:], ellipsis)
	}
	binary.BigEndian.PutUint16(b, uint16(n-format.UTFHeadSize))
	return n
}

// plain reports whether each byte of a text is a character and written as itself: it is in 0x01
// to 0x7f. It looks at eight bytes at a time, the last eight possibly overlapping those before.
// Subtracting 1 from each sets the highest bit of those that are zero.
func plain(s string) bool {
	const ones, highest, word = 0x0101010101010101, 0x8080808080808080, 8
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	if len(b) < word {
		for _, c := range b {
			if c-1 >= utf8.RuneSelf-1 { // NUL wraps around
				return false
			}
		}
		return true
	}
	last := binary.LittleEndian.Uint64(b[len(b)-word:])
	bad := last | (last - ones)
	for ; len(b) > word; b = b[word:] {
		eight := binary.LittleEndian.Uint64(b)
		bad |= eight | (eight - ones)
	}
	return bad&highest == 0
}

// appendText is putText for any text, into a slice that may grow.
func appendText(dst []byte, s string, max int) []byte {
	short := cut(s, max)
	if len(short) < len(s) {
		short += ellipsis
	}
	dst, err := format.AppendUTF(dst, short)
	if err != nil {
		return append(dst, 0, 0) // impossible: cut leaves less than the limit
	}
	return dst
}

// cut returns the first max characters of s as Java counts them: those above U+FFFF are two,
// and are never split.
func cut(s string, max int) string {
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
