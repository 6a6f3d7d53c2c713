package format

import "encoding/binary"

// Quiet tells which trace points and footers cannot have in their text what somebody looks for,
// from their bytes and without decoding them. It may call one of interest that is not, never the
// other way round. One goroutine uses it.
//
// The tables are indexed by id, that of code locations by id + 1. What they lack is of interest.
type Quiet struct {
	Methods, SuperCalls, Classes, Fields, Variables, Locations QuietIDs

	Loops, Iterations bool // the words of these are quiet, with all numbers
	// Text reports whether the text of a value is quiet. raw is modified UTF-8.
	Text func(raw []byte) bool
	// End, if not nil, looks at the footer of a call in place of what is above. n is its size; 0 if it
	// is not quiet.
	End func(footer []byte) (n int)

	version Version
	acts    [max(len(kinds22), kindCount27)]quietAct // by the kind on disk; of version 22, negated
}

// QuietIDs are bits by id.
type QuietIDs []uint8

const (
	// QuietID is set for an id whose names are quiet.
	QuietID uint8 = 1 << iota
	// QuietFold is set for a method whose calls may fold, see [Context.MayFold], or for a code
	// location whose array accesses are hidden, see [Context.Coverage].
	QuietFold
)

func (t QuietIDs) get(id int32) uint8 {
	if uint(id) < uint(len(t)) {
		return t[id]
	}
	return 0
}

// quietAct is how to pass a value.
type quietAct uint8

const (
	heed quietAct = iota // it may be of interest, or needs a closer look
	passFixed
	passChar
	passText
	passObject
	passSequence // of version 27, as the following
	passEnum
)

// NewQuiet returns a Quiet for a trace of this version. values are the kinds of values whose fixed
// words and numbers are quiet.
func NewQuiet(v Version, values func(ValueKind) bool) *Quiet {
	q := &Quiet{version: v}
	if v >= V27 {
		for k, kind := range kinds27 {
			if values(kind) {
				q.acts[k] = quietActOf(kind, sizes27[k] > 0)
			}
		}
		// What these have captured is not told apart here.
		q.acts[capturedObject27], q.acts[capturedArray27], q.acts[capturedThrown27] = heed, heed, heed
		return q
	}
	for k, kind := range kinds22 {
		if k > 0 && values(kind) {
			q.acts[k] = quietActOf(kind, sizes22[k] >= 0)
		}
	}
	if values(ValueObject) && values(ValueArray) {
		q.acts[0] = passObject // index 0 is that of no other value
	}
	return q
}

func quietActOf(kind ValueKind, fixed bool) quietAct {
	switch kind {
	case ValueChar:
		return passChar
	case ValueObject, ValueArray, ValueException:
		return passObject
	case ValueSequence:
		return passSequence
	case ValueEnum:
		return passEnum
	}
	if fixed {
		return passFixed
	}
	return passText
}

// value returns the offset after the value at offset i of b; 0 if it is not quiet, and near the
// end of b.
func (q *Quiet) value(b []byte, i int) int {
	if q.version >= V27 {
		return q.value27(b, i)
	}
	return q.value22(b, i)
}

func (q *Quiet) value22(b []byte, i int) int {
	if len(b)-i < ObjectSize22 {
		return 0
	}
	id := int32(binary.BigEndian.Uint32(b[i:]))
	if id >= 0 {
		if q.Classes.get(id)&QuietID == 0 || q.acts[0] == heed {
			return 0
		}
		switch binary.BigEndian.Uint32(b[i+ObjectCountAt22:]) {
		case 0:
			return i + ObjectSize22
		case bareArray22:
			if i += ObjectSize22 + countSize; i <= len(b) {
				return i
			}
		}
		return 0
	}
	if id < last22 {
		return 0
	}
	switch q.acts[-id] {
	case passFixed:
		return i + ValueHeadSize22 + int(sizes22[-id])
	case passText:
		if id == builder22 {
			i += IDSize
		}
		return q.text(b, i+ValueHeadSize22)
	case passChar:
		return quietChar(b, i+ValueHeadSize22)
	}
	return 0
}

func (q *Quiet) value27(b []byte, i int) int {
	if len(b)-i < ArraySize27 || b[i] >= kindCount27 {
		return 0
	}
	kind := b[i]
	act := q.acts[kind]
	switch act {
	case passFixed:
		return i + int(sizes27[kind])
	case passText:
		return q.text(b, i+ValueHeadSize27)
	case passChar:
		return quietChar(b, i+ValueHeadSize27)
	case passObject, passSequence, passEnum:
		if q.Classes.get(int32(binary.BigEndian.Uint32(b[i+ObjectClassAt27:])))&QuietID == 0 {
			return 0
		}
		switch act {
		case passObject:
			return i + int(sizes27[kind])
		case passSequence:
			return q.text(b, i+ObjectSize27)
		}
		if i += ObjectIdentityAt27; b[i] == 1 {
			return q.text(b, i+1)
		}
	}
	return 0
}

// text passes the utf at offset i of b.
func (q *Quiet) text(b []byte, i int) int {
	if len(b)-i < UTFHeadSize {
		return 0
	}
	n := int(binary.BigEndian.Uint16(b[i:]))
	if i += UTFHeadSize; i+n > len(b) || n > 0 && !q.Text(b[i:i+n]) {
		return 0
	}
	return i + n
}

// quietChar passes the character at offset i of b, unless it is escaped in texts.
func quietChar(b []byte, i int) int {
	if c := binary.BigEndian.Uint16(b[i:]); c <= ' ' || c >= 0x7f {
		return 0
	}
	return i + 2
}

// quietLeast is how many bytes Point and Footer need.
const quietLeast = PointHeadSize + 16

// Point looks at the trace point at the start of b. n is its size, of a container that of its
// header; 0 if it is not quiet, damaged, something else, or near the end of b. mayFold is
// [Context.MayFold] of a call.
func (q *Quiet) Point(b []byte) (n int, class Class, ref int32, mayFold bool) {
	if len(b) < quietLeast || Kind(b[KindAt]) != KindTracePoint || b[PointClassAt] >= classCount || !DiffStatus(b[PointDiffAt]).Valid() {
		return 0, 0, 0, false
	}
	at := q.Locations.get(LocationOf(b) + 1)
	if at&QuietID == 0 {
		return 0, 0, 0, false
	}
	statuses := byte(0) // none
	if class = Class(b[PointClassAt]); q.version >= V27 {
		class, statuses = classes27[b[PointClassAt]], 0xff
	}
	switch class {
	case ClassCall:
		if b[StatusCountAt] != statuses {
			return 0, 0, 0, false
		}
		ref = int32(binary.BigEndian.Uint32(b[CallMethodAt:]))
		n, mayFold = q.call(b, ref)
	case ClassVariableRead, ClassVariableWrite, ClassFieldRead, ClassFieldWrite:
		ref = int32(binary.BigEndian.Uint32(b[LeafIDAt:]))
		if class == ClassVariableRead || class == ClassVariableWrite {
			if q.Variables.get(ref)&QuietID != 0 {
				n = q.value(b, LeafValueAt)
			}
		} else if q.Fields.get(ref)&QuietID != 0 {
			if n = q.value(b, LeafValueAt); n > 0 {
				n = q.value(b, n)
			}
		}
	case ClassArrayRead, ClassArrayWrite:
		if at&QuietFold == 0 {
			if n = q.value(b, ArrayAt); n > 0 {
				n = q.value(b, n+ArrayIndexSize)
			}
		}
	case ClassLoop:
		if q.Loops && b[StatusCountAt] == statuses {
			n, ref = LoopHeadSize, int32(binary.BigEndian.Uint32(b[LoopIDAt:]))
		}
	case ClassIteration:
		if q.Iterations && b[StatusCountAt] == statuses {
			n, ref = IterationHeadSize, int32(binary.BigEndian.Uint32(b[LoopIDAt:]))
		}
	}
	return n, class, ref, mayFold
}

// call is Point for the header of a call.
func (q *Quiet) call(b []byte, method int32) (n int, mayFold bool) {
	i := q.value(b, CallReceiverAt)
	if i == 0 || len(b)-i < countSize+CallFlagsSize {
		return 0, false
	}
	args := binary.BigEndian.Uint32(b[i:])
	if args > maxListed {
		return 0, false
	}
	i += countSize
	for ; args > 0; args-- {
		if i = q.value(b, i); i == 0 {
			return 0, false
		}
	}
	if len(b)-i < CallFlagsSize {
		return 0, false
	}
	names := q.Methods
	if int16(binary.BigEndian.Uint16(b[i:]))&FlagSuper != 0 {
		names = q.SuperCalls
	}
	is := names.get(method)
	if is&QuietID == 0 {
		return 0, false
	}
	return i + CallFlagsSize, is&QuietFold != 0
}

// Footer looks at the footer at the start of b, of a container of a class. It returns its size; 0
// as Point does.
func (q *Quiet) Footer(b []byte, class Class) int {
	if len(b) < quietLeast || Kind(b[KindAt]) != KindFooter {
		return 0
	}
	switch class {
	case ClassIteration:
		return FooterSize
	case ClassLoop:
		if q.Loops {
			return LoopFooterSize
		}
	case ClassCall:
		if q.End != nil {
			return q.End(b)
		}
		i := q.value(b, CallResultAt)
		if i == 0 || len(b)-i < UTFHeadSize {
			return 0
		}
		// It has to be without an exception.
		if q.version >= V27 {
			if b[i] == 0 {
				return i + 1
			}
		} else if binary.BigEndian.Uint16(b[i:]) == 0 {
			return i + UTFHeadSize
		}
	}
	return 0
}
