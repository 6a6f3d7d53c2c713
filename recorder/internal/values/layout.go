package values

import (
	"encoding/binary"
	"strings"

	"tracex/format"
)

// Layout is what the versions of the format write differently. Each version has one, below,
// together with what a table cannot express. A recorder has one, which never changes.
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

// Terms is what writing a value depends on.
type Terms struct {
	Text   int32  // characters kept of a string
	Tag    uint32 // upper half of the numbers of classes that are known
	Names  Names  // nil if nothing is recorded
	Layout *Layout
}

// Names finds the classes of values.
type Names interface {
	// Unregistered counts the use of a number that is not known, and returns the id of the
	// class that replaces it.
	Unregistered(number int64) (class int32)
	// AddErrorType registers the class of an error type, see ErrorType, if there is memory for
	// its name. ErrorClass returns its id, or that of its replacement.
	AddErrorType(number int32)
	ErrorClass(number int32) (class int32)
}

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
