package recorder

import (
	"encoding/binary"
	"strings"

	"tracex/format"
)

// layout is what the versions of the format write differently. Each version has one, in its own
// file together with what a table cannot express. Threads and values have a pointer to their
// recorder's, which never changes.
type layout struct {
	version format.Version

	// kinds are the first bytes of a value by its kind, from the highest on, and width is how
	// many count: what follows overwrites the others.
	kinds [wireKinds]uint32
	width int

	points   [pointKinds]byte         // the kinds of trace points, by class
	classes  [pointKinds]format.Class // the inverse
	subtree  byte                     // the count of a container's diff statuses: it has none
	returned int                      // how many zeros end the footer of a call that did not throw

	// void is the whole footer of a call without a result, from the highest byte on, and
	// voidSize how many bytes it has.
	void     uint64
	voidSize int
}

// pointKinds is how many kinds of trace points exist.
const pointKinds = 12

// pointsOf returns the kinds of trace points of a version, by class.
func pointsOf(v format.Version) (kinds [pointKinds]byte) {
	for class := range kinds {
		kinds[class] = v.ClassByte(format.Class(class))
	}
	return kinds
}

// classesOf inverts the kinds of trace points.
func classesOf(kinds [pointKinds]byte) (classes [pointKinds]format.Class) {
	for i := range classes {
		classes[i] = noClass
	}
	for class, kind := range kinds {
		if class != int(format.ClassSnapshot) { // never recorded
			classes[kind] = format.Class(class)
		}
	}
	return classes
}

// noClass is the class for anything that is no trace point of a recorder.
const noClass = format.Class(0xff)

// class returns the class of a trace point of a kind.
func (l *layout) class(kind byte) format.Class {
	if int(kind) < len(l.classes) {
		return l.classes[kind]
	}
	return noClass
}

// putKind writes the kind of a value, one of wireKinds, and returns the number of bytes. It may
// store four: each value has room for them.
func (l *layout) putKind(b []byte, k kind) int {
	binary.BigEndian.PutUint32(b, l.kinds[k])
	return l.width
}

// put32 writes a kind followed by 32 bits. It stores eight bytes: there is room.
func (l *layout) put32(b []byte, k kind, bits uint32) int {
	first := uint64(l.kinds[k]) << 32
	if l.width == format.ValueHeadSize22 {
		binary.BigEndian.PutUint64(b, first|uint64(bits))
		return format.ValueHeadSize22 + 4
	}
	binary.BigEndian.PutUint64(b, first|uint64(bits)<<24)
	return format.ValueHeadSize27 + 4
}

// putObject writes an object without fields.
func (l *layout) putObject(b []byte, class, identity int32) int {
	if l == &layout22 {
		return putObject22(b, class, identity)
	}
	return putReference27(b, object27, class, identity)
}

// putException writes an error of which only the class is known.
func (l *layout) putException(b []byte, class, identity int32) int {
	if l == &layout22 {
		return putObject22(b, class, identity)
	}
	return putReference27(b, exception27, class, identity)
}

// putRaw writes the first max characters of a text that is shown without quotes.
func (l *layout) putRaw(b []byte, text string, max int) int {
	n := l.putKind(b, rawKind)
	if l != &layout22 && len(text) <= max && integer(text) {
		b[0] = integer27
	}
	return n + putText(b[n:], text, max)
}

// putMark writes a mark instead of a missing result.
func (l *layout) putMark(b []byte, mark kind) int {
	if l == &layout22 {
		return putMark22(b, mark)
	}
	return putMark27(b, mark)
}

// putThrown writes the name of what a call threw, which follows its result.
func (l *layout) putThrown(b []byte, exception string) int {
	n := 0
	if l != &layout22 {
		b[0], n = 1, 1
	}
	return n + putText(b[n:], exception, maxException)
}

// thrown is the result of a call that threw.
func (l *layout) thrown() Value {
	if l == &layout22 {
		return Void()
	}
	return unfinished
}

// integer reports whether a text is an integer in the form of a big number: digits, perhaps
// after a minus sign, without leading zeros.
func integer(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return digits != "" && (digits[0] != '0' || text == "0")
}

// The functions below write captured values. The class of an object is encoded before its
// fields and elements, but their number is known only after them.

// beginObject begins an object, and returns where.
func (l *layout) beginObject(dst []byte, class, identity int32) (begun []byte, at int) {
	at = len(dst)
	dst = append(dst, make([]byte, format.MaxObjectSize)...)
	n := l.putObject(dst[at:], class, identity)
	return dst[:at+n], at
}

// beginFields makes room for the number of fields of the object that was begun; endFields sets
// it.
func (l *layout) beginFields(dst []byte) []byte {
	if l == &layout22 {
		return dst // putObject22 has made room
	}
	return binary.BigEndian.AppendUint32(dst, 0)
}

func (l *layout) endFields(dst []byte, at, n int) []byte {
	if l == &layout22 {
		return endFields22(dst, at, n)
	}
	return endFields27(dst, at, n)
}

// beginElements makes the object that was begun an array with so many elements; endElements
// sets how many of them follow.
func (l *layout) beginElements(dst []byte, length int) []byte {
	if l == &layout22 {
		return dst // its length is at the end
	}
	return binary.BigEndian.AppendUint64(dst, uint64(uint32(length))<<32)
}

func (l *layout) endElements(dst []byte, at, length, n int) []byte {
	if l == &layout22 {
		return endElements22(dst, at, length, n)
	}
	return endElements27(dst, at, n)
}
