package format

import "encoding/binary"

// Prefilter tells which trace points and footers can be skipped: those that cannot have in their
// text what is searched for. It reads their bytes and decodes nothing. It may keep one that has
// nothing, never the other way round. One goroutine uses it.
//
// The tables are indexed by id, that of code locations by id + 1. What they lack is kept.
type Prefilter struct {
	Methods, SuperCalls, Classes, Fields, Variables, Locations SkipIDs

	Loops, Iterations bool // the words of these are not searched for, nor numbers
	// Text reports whether the text of a value can be skipped. raw is modified UTF-8.
	Text func(raw []byte) bool
	// Number, if not nil, reports whether an integer or an identity hash can be skipped. It is not asked of those
	// between -Least and Least, which can.
	Number func(n int64) bool
	Least  int64
	// Captured, if not nil, reports whether a value can be skipped in which something was captured: b is its encoding.
	Captured func(b []byte) bool
	// End, if not nil, looks at the footer of a call in place of what is above. n is its size; 0 if it
	// is kept.
	End func(footer []byte) (n int)

	version Version
	values  valueTable // a kind that is kept has no form
}

// SkipIDs are bits by id.
type SkipIDs []uint8

const (
	// SkipNames is set for an id whose names can be skipped.
	SkipNames uint8 = 1 << iota
	// SkipFold is set for a method whose calls may fold, see [Context.MayFold], or for a code
	// location whose array accesses are hidden, see [Context.Coverage].
	SkipFold
)

func (t SkipIDs) get(id int32) uint8 {
	if uint(id) < uint(len(t)) {
		return t[id]
	}
	return 0
}

// NewPrefilter returns a Prefilter for a trace of this version. skip reports for which kinds of
// values the fixed words and the numbers can be skipped.
func NewPrefilter(v Version, skip func(ValueKind) bool) *Prefilter {
	q := &Prefilter{version: v, values: *valuesOf(v)}
	for i := range q.values.kinds {
		e := &q.values.kinds[i]
		// In version 22 an object may be an array.
		if !skip(e.kind) || e.form == formObject && q.values.ids && !skip(ValueArray) {
			e.form = formNone
		}
		switch e.kind {
		case ValueByte, ValueShort, ValueInt, ValueLong:
			if e.form == formFixed {
				e.form = formInteger
			}
		}
	}
	return q
}

// number reports whether a number can be skipped.
func (q *Prefilter) number(n int64) bool {
	return q.Number == nil || n > -q.Least && n < q.Least || q.Number(n)
}

// integer reports whether the integer of all bytes of b can be skipped.
func (q *Prefilter) integer(b []byte) bool {
	if q.Number == nil {
		return true
	}
	n := int64(int8(b[0]))
	for _, c := range b[1:] {
		n = n<<8 | int64(c)
	}
	return q.number(n)
}

// value returns the offset after the value at offset i of b; 0 if it is kept, and near the end of b.
func (q *Prefilter) value(b []byte, i int) int {
	if len(b)-i < ArraySize27 { // at least the fixed part of any value
		return 0
	}
	e := q.values.at(b, i)
	next := i + int(e.size)
	switch e.form {
	case formNone:
		return 0
	case formFixed:
		return next
	case formInteger:
		if !q.integer(b[i+q.values.head : next]) {
			return 0
		}
		return next
	case formText:
		if e.kind == ValueBuilder && !q.hash(b, i) {
			return 0
		}
		return q.text(b, next)
	case formChar: // unless it is escaped in texts
		if c := binary.BigEndian.Uint16(b[next-2:]); c <= ' ' || c >= 0x7f {
			return 0
		}
		return next
	}
	if q.Classes.get(int32(binary.BigEndian.Uint32(b[i+q.values.class:])))&SkipNames == 0 {
		return 0
	}
	switch {
	case e.form == formEnum:
		if b[next-1] != 1 {
			return 0
		}
	case !q.hash(b, i):
		return 0
	case e.form == formObject:
		if next = q.values.objectEnd(b, i, next); next < 0 {
			return q.captured(b, i)
		}
		return next
	case e.form == formCaptured:
		return q.captured(b, i)
	}
	return q.text(b, next)
}

// hash reports whether the identity hash of the value at offset i of b can be skipped.
func (q *Prefilter) hash(b []byte, i int) bool {
	return q.Number == nil || q.number(int64(int32(binary.BigEndian.Uint32(b[i+q.values.hash:]))))
}

// captured returns the offset after the value at offset i of b, in which something was captured; 0 if it is kept.
func (q *Prefilter) captured(b []byte, i int) int {
	if q.Captured == nil {
		return 0
	}
	c := skipper{reader{b: b[i:], v: q.version}}
	if c.skipValue(0); c.err != nil || !q.Captured(c.b[:c.i]) {
		return 0
	}
	return i + c.i
}

// text passes the utf at offset i of b.
func (q *Prefilter) text(b []byte, i int) int {
	from, to := utfAt(b, i)
	if from < to && !q.Text(b[from:to]) {
		return 0
	}
	return to
}

// prefilterLeast is how many bytes Point and Footer need.
const prefilterLeast = PointHeadSize + 16

// Point looks at the trace point at the start of b. n is its size, of a container that of its
// header; 0 if it is kept, damaged, something else, or near the end of b. mayFold is
// [Context.MayFold] of a call.
func (q *Prefilter) Point(b []byte) (n int, class Class, ref int32, mayFold bool) {
	if len(b) < prefilterLeast || Kind(b[KindAt]) != KindTracePoint || b[PointClassAt] >= classCount || !DiffStatus(b[PointDiffAt]).Valid() {
		return 0, 0, 0, false
	}
	at := q.Locations.get(LocationOf(b) + 1)
	if at&SkipNames == 0 {
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
			if q.Variables.get(ref)&SkipNames != 0 {
				n = q.value(b, LeafValueAt)
			}
		} else if q.Fields.get(ref)&SkipNames != 0 {
			if n = q.value(b, LeafValueAt); n > 0 {
				n = q.value(b, n)
			}
		}
	case ClassArrayRead, ClassArrayWrite:
		if at&SkipFold == 0 {
			if n = q.value(b, ArrayAt); n > 0 {
				if q.Number != nil && (len(b)-n < ArrayIndexSize || !q.number(int64(int32(binary.BigEndian.Uint32(b[n:]))))) {
					return 0, 0, 0, false
				}
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
func (q *Prefilter) call(b []byte, method int32) (n int, mayFold bool) {
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
	if is&SkipNames == 0 {
		return 0, false
	}
	return i + CallFlagsSize, is&SkipFold != 0
}

// Footer looks at the footer at the start of b, of a container of a class. It returns its size; 0
// as Point does.
func (q *Prefilter) Footer(b []byte, class Class) int {
	if len(b) < prefilterLeast || Kind(b[KindAt]) != KindFooter {
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
