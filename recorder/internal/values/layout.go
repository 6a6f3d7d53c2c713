package values

import (
	"encoding/binary"
	"strings"

	"tracex/format"
)

// Layout is what the versions of the format write differently. Each version has one, in its own
// file together with what a table cannot express. A recorder has one, which never changes.
type Layout struct {
	Version format.Version

	// kinds are the first bytes of a value by its kind, from the highest on, and width is how
	// many count: what follows overwrites the others.
	kinds [wireKinds]uint32
	width int

	points   [pointKinds]byte         // the kinds of trace points, by class
	classes  [pointKinds]format.Class // the inverse
	subtree  byte                     // the count of a container's diff statuses: it has none
	Returned int                      // how many zeros end the footer of a call that did not throw

	// Void is the whole footer of a call without a result, from the highest byte on, and
	// VoidSize how many bytes it has.
	Void     uint64
	VoidSize int
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
		classes[i] = NoClass
	}
	for class, kind := range kinds {
		if class != int(format.ClassSnapshot) { // never recorded
			classes[kind] = format.Class(class)
		}
	}
	return classes
}

// NoClass is the class for anything that is no trace point of a recorder.
const NoClass = format.Class(0xff)

// Class returns the class of a trace point of a kind.
func (l *Layout) Class(kind byte) format.Class {
	if int(kind) < len(l.classes) {
		return l.classes[kind]
	}
	return NoClass
}

// PutKind writes the kind of a value, one of wireKinds, and returns the number of bytes. It may
// store four: each value has room for them.
func (l *Layout) PutKind(b []byte, k Kind) int {
	binary.BigEndian.PutUint32(b, l.kinds[k])
	return l.width
}

// Put32 writes a kind followed by 32 bits. It stores eight bytes: there is room.
func (l *Layout) Put32(b []byte, k Kind, bits uint32) int {
	first := uint64(l.kinds[k]) << 32
	if l.width == format.ValueHeadSize22 {
		binary.BigEndian.PutUint64(b, first|uint64(bits))
		return format.ValueHeadSize22 + 4
	}
	binary.BigEndian.PutUint64(b, first|uint64(bits)<<24)
	return format.ValueHeadSize27 + 4
}

// PutObject writes an object without fields, in at most format.MaxObjectSize bytes, and returns its size.
func (l *Layout) PutObject(b []byte, class, identity int32) int {
	if l == &layout22 {
		return putObject22(b, class, identity)
	}
	return putReference27(b, object27, class, identity)
}

// putException writes an error if only its class is known.
func (l *Layout) putException(b []byte, class, identity int32) int {
	if l == &layout22 {
		return putObject22(b, class, identity)
	}
	return putReference27(b, exception27, class, identity)
}

// putRaw writes the first max characters of a text that is shown without quotes.
func (l *Layout) putRaw(b []byte, text string, max int) int {
	n := l.PutKind(b, RawKind)
	if l != &layout22 && len(text) <= max && integer(text) {
		b[0] = integer27
	}
	return n + putText(b[n:], text, max)
}

// putMark writes a mark instead of a missing result.
func (l *Layout) putMark(b []byte, mark Kind) int {
	if l == &layout22 {
		return putMark22(b, mark)
	}
	return putMark27(b, mark)
}

// PutThrown writes the name of what a call threw, which follows its result.
func (l *Layout) PutThrown(b []byte, exception string) int {
	n := 0
	if l != &layout22 {
		b[0], n = 1, 1
	}
	return n + putText(b[n:], exception, MaxException)
}

// Thrown is the result of a call that threw.
func (l *Layout) Thrown() Value {
	if l == &layout22 {
		return Value{Kind: VoidKind}
	}
	return Unfinished
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

// BeginObject begins an object, and returns where.
func (l *Layout) BeginObject(dst []byte, class, identity int32) (begun []byte, at int) {
	at = len(dst)
	dst = append(dst, make([]byte, format.MaxObjectSize)...)
	n := l.PutObject(dst[at:], class, identity)
	return dst[:at+n], at
}

// BeginFields makes room for the number of fields of the object that was begun; endFields sets
// it.
func (l *Layout) BeginFields(dst []byte) []byte {
	if l == &layout22 {
		return dst // putObject22 has made room
	}
	return binary.BigEndian.AppendUint32(dst, 0)
}

func (l *Layout) EndFields(dst []byte, at, n int) []byte {
	if l == &layout22 {
		return endFields22(dst, at, n)
	}
	return endFields27(dst, at, n)
}

// BeginElements makes the object that was begun an array with so many elements; endElements
// sets how many of them follow.
func (l *Layout) BeginElements(dst []byte, length int) []byte {
	if l == &layout22 {
		return dst // its length is at the end
	}
	return binary.BigEndian.AppendUint64(dst, uint64(uint32(length))<<32)
}

func (l *Layout) EndElements(dst []byte, at, length, n int) []byte {
	if l == &layout22 {
		return endElements22(dst, at, length, n)
	}
	return endElements27(dst, at, n)
}

// PutUntracked writes the footer of a container of a class whose result is no longer known, in at
// most UntrackedRoom bytes, and returns its size. iterations is that of a loop.
func (l *Layout) PutUntracked(b []byte, class format.Class, iterations int32) int {
	b[0] = byte(format.KindFooter)
	switch class {
	case format.ClassCall:
		n := format.CallResultAt + l.putMark(b[format.CallResultAt:], UntrackedKind)
		b[n], b[n+1] = 0, 0
		return n + l.Returned
	case format.ClassLoop:
		PutInt32(b[format.LoopIterationsAt:], iterations)
		return format.LoopFooterSize
	}
	return format.FooterSize
}

// Sizes in the file, in bytes, of the larger version.
const (
	CallFooterRoom = format.CallResultAt + format.UTFHeadSize // without its result
	UntrackedRoom  = CallFooterRoom + format.ValueHeadSize22 + format.UTFHeadSize + len(format.UntrackedResult)
	DroppedRoom    = format.LeafValueAt + format.MaxObjectSize
)

// LayoutOf returns the layout of a version; nil if that cannot be written.
func LayoutOf(version int) *Layout {
	for _, l := range []*Layout{&layout22, &layout27} {
		if int(l.Version) == version {
			return l
		}
	}
	return nil
}

// PutPointHead writes what all trace points begin with. For a container that includes that it
// has no diff statuses.
func (l *Layout) PutPointHead(b []byte, class format.Class, location, thread, event int32) {
	format.PutPointHead(b, l.points[class], location, thread, event, l.subtree)
}

// PutDropped writes a note of how many trace points of a thread are missing before it: a write
// to a variable, in at most DroppedRoom bytes. It returns its size.
func (l *Layout) PutDropped(b []byte, thread, event, variable int32, missing int64) int {
	format.PutPointHead(b, l.points[format.ClassVariableWrite], -1, thread, event, 0)
	PutInt32(b[format.LeafIDAt:], variable)
	value := Value{Kind: LongKind, Bits: uint64(missing)}
	return format.LeafValueAt + value.Put(b[format.LeafValueAt:], &Terms{Layout: l})
}
