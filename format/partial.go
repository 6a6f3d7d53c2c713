package format

import "encoding/binary"

// Partial decoding: what a search, a summary or a pass needs of trace points and footers, read
// from their bytes without allocating. See [Prefilter] for what can be skipped altogether.

// valueForm tells how to read values of a kind.
type valueForm uint8

const (
	formNone     valueForm = iota // there is no such kind; in a Prefilter: of interest
	formFixed                     // a number, or nothing
	formInteger                   // in a Prefilter: an integer
	formChar                      // as before, a character
	formText                      // ends with a utf
	formObject                    // class and identity hash
	formSequence                  // the same, and a utf
	formEnum                      // a class, a bool, and a utf if it is true
	formCaptured                  // starts as an object; only the slow path finds the end
)

// encodedValue is how a version encodes values of a kind.
type encodedValue struct {
	kind ValueKind
	form valueForm
	size uint8 // in bytes; up to what has no fixed size: a utf, what is captured
}

// valueTable is how a version encodes values.
type valueTable struct {
	kinds [32]encodedValue // by the kind on disk; in version 22 negated, and 0 for objects
	ids   bool             // values begin with a class id, as in version 22, in place of a kind
	head  int              // size of the kind or class id
	class int              // offset of a class id
	hash  int              // offset of an identity hash
}

var (
	values22 = func() *valueTable {
		t := &valueTable{ids: true, head: ValueHeadSize22, hash: ObjectIdentityAt22}
		for k, kind := range kinds22 {
			t.kinds[k] = encodedValue{kind, formText, ValueHeadSize22}
			if n := sizes22[k]; n >= 0 {
				t.kinds[k].form, t.kinds[k].size = formFixed, ValueHeadSize22+uint8(n)
			}
		}
		t.kinds[0] = encodedValue{ValueObject, formObject, ObjectSize22}
		t.kinds[-char22].form = formChar
		t.kinds[-builder22].size += IDSize
		return t
	}()
	values27 = func() *valueTable {
		t := &valueTable{head: ValueHeadSize27, class: ObjectClassAt27, hash: ObjectIdentityAt27}
		for k, kind := range kinds27 {
			e := encodedValue{kind, formFixed, uint8(sizes27[k])}
			if n := sizes27[k]; n < 0 {
				e.form, e.size = formText, uint8(-n)
			}
			switch k {
			case char27:
				e.form = formChar
			case enum27:
				e.form, e.size = formEnum, ObjectIdentityAt27+1
			case object27, array27, exception27:
				e.form = formObject
			case sequence27:
				e.form = formSequence
			case capturedObject27, capturedArray27, capturedThrown27:
				e.form, e.size = formCaptured, ObjectSize27
			}
			t.kinds[k] = e
		}
		return t
	}()
)

// valuesOf returns how a version encodes values.
func valuesOf(v Version) *valueTable {
	if v >= V27 {
		return values27
	}
	return values22
}

// at returns how the value at offset i of b is encoded. b must have its kind or class id.
func (t *valueTable) at(b []byte, i int) *encodedValue {
	k := int(b[i])
	if t.ids {
		k = -min(0, int(int32(binary.BigEndian.Uint32(b[i:]))))
	}
	if k >= len(t.kinds) {
		return &encodedValue{}
	}
	return &t.kinds[k]
}

// PartialValue is what the text of a value is made of: enough to tell that the text cannot contain
// something, or which object it is.
type PartialValue struct {
	Kind    ValueKind
	ClassID int32
	Bits    int64  // as in [Value]; of an array only the identity hash
	Text    []byte // modified UTF-8, as in the file; valid as long as the file's bytes are
	// Rest means that the text may have more than that: the message of an exception, the fields of a
	// struct, the elements of a list.
	Rest   bool
	Within bool // something was captured inside
	// Encoded is the value as in the file if Within is set, and valid as long as the file's bytes are: see [Contents].
	Encoded []byte
}

// PartialOf returns what is read of a value in memory. Text is a copy.
func PartialOf(v *Value) PartialValue {
	return PartialValue{Kind: v.Kind, ClassID: v.ClassID, Bits: v.Bits, Text: []byte(v.Text), Within: v.Captured != nil,
		Rest: v.Absent || v.Captured != nil && (v.Hash() == 0 || v.Captured.Message != nil)}
}

// partialValue reads the value at offset i of b into x and returns the offset after it; 0 if the
// value is damaged or cut.
func (v Version) partialValue(b []byte, i int, x *PartialValue) int {
	t := valuesOf(v)
	if len(b)-i < t.head {
		return 0
	}
	e := t.at(b, i)
	next := i + int(e.size)
	if e.form == formNone || next > len(b) {
		return 0
	}
	x.Kind, x.ClassID, x.Bits, x.Rest, x.Within = e.kind, 0, 0, false, false
	if x.Text != nil { // mostly it is nil, and a store of a pointer costs more
		x.Text = nil
	}
	if x.Encoded != nil {
		x.Encoded = nil
	}
	switch e.form {
	case formFixed, formChar:
		x.number(b[i+t.head : next])
		return next
	case formText:
		if e.kind == ValueBuilder {
			x.Bits = int64(int32(binary.BigEndian.Uint32(b[i+t.hash:])))
		}
		return x.text(b, next)
	}
	x.ClassID = int32(binary.BigEndian.Uint32(b[i+t.class:]))
	if e.form == formEnum {
		switch b[next-1] {
		case 0:
			x.Rest = true // shown as null
			return next
		case 1:
			return x.text(b, next)
		}
		return 0
	}
	x.Bits = int64(int32(binary.BigEndian.Uint32(b[i+t.hash:])))
	switch {
	case e.form == formSequence:
		return x.text(b, next)
	case e.form == formObject:
		if next = t.objectEnd(b, i, next); next >= 0 {
			return next
		}
	}
	x.Within = true
	x.Rest = x.Kind == ValueException || x.Bits == 0 // see Value.ByValue, and literal
	c := skipper{reader{b: b[i:], v: v}}
	if c.skipValue(0); c.err != nil {
		return 0
	}
	x.Encoded = c.b[:c.i]
	return i + c.i
}

// Contents calls visit with what was captured in a value, whose encoding is b, as far as its text may have it: with the names of
// fields and the message of an exception, in modified UTF-8, and with values that have nothing captured themselves,
// and the classes of those that have. ok is false if that is not known: in version 22, or if b is damaged. x is where they are
// read into: visit must not keep it.
func Contents(v Version, b []byte, x *PartialValue, visit func(text []byte, in *PartialValue)) (ok bool) {
	return v >= V27 && contents27(b, 0, 0, x, visit) > 0
}

// contents27 is Contents for the value at offset i of b. It returns the offset after it; 0 if it is damaged.
func contents27(b []byte, i, depth int, x *PartialValue, visit func(text []byte, in *PartialValue)) int {
	next := V27.partialValue(b, i, x)
	if next == 0 || depth > maxValueDepth {
		return 0
	}
	within := x.Within
	if visit(nil, x); !within {
		return next
	}
	at := i + ObjectSize27
	switch b[i] {
	case capturedThrown27:
		if b[at] == 1 {
			from, to := utfAt(b, at+1)
			visit(b[from:to], nil)
		}
		return next // frames are not in the text
	case capturedArray27:
		at += countSize // the length
	}
	n := binary.BigEndian.Uint32(b[at:])
	for at += countSize; n > 0; n-- {
		if b[i] == capturedObject27 {
			from, to := utfAt(b, at)
			visit(b[from:to], nil)
			at = to
		}
		if at = contents27(b, at, depth+1, x, visit); at == 0 {
			return 0
		}
	}
	return next
}

// objectEnd returns the offset after the object at offset i of b, of which next is the one after the
// part of fixed size; 0 if it is cut, and -1 if something was captured inside.
func (t *valueTable) objectEnd(b []byte, i, next int) int {
	if !t.ids {
		return next
	}
	switch binary.BigEndian.Uint32(b[i+ObjectCountAt22:]) {
	case 0:
		return next
	case bareArray22:
		if next += countSize; next <= len(b) {
			return next
		}
		return 0
	}
	return -1
}

// number reads a number: all bytes of b.
func (x *PartialValue) number(b []byte) {
	be := binary.BigEndian
	switch x.Kind {
	case ValueByte:
		x.Bits = int64(int8(b[0]))
	case ValueBoolean:
		x.Bits = int64(b[0])
	case ValueShort:
		x.Bits = int64(int16(be.Uint16(b)))
	case ValueChar:
		x.Bits = int64(be.Uint16(b))
	case ValueInt:
		x.Bits = int64(int32(be.Uint32(b)))
	case ValueFloat:
		x.Bits = int64(be.Uint32(b))
	case ValueLong, ValueDouble:
		x.Bits = int64(be.Uint64(b))
	}
}

// text reads the utf at offset i of b and returns the offset after it; 0 if it is cut.
func (x *PartialValue) text(b []byte, i int) int {
	from, to := utfAt(b, i)
	x.Text = b[from:to]
	return to
}

// utfAt returns where the bytes of the utf at offset i of b begin and end; 0 if it is cut.
func utfAt(b []byte, i int) (from, to int) {
	if from = i + UTFHeadSize; from <= len(b) {
		if to = from + int(binary.BigEndian.Uint16(b[i:])); to <= len(b) {
			return from, to
		}
	}
	return 0, 0
}

// ValueCursor reads the values of a trace point from its bytes, one after another. A call has its
// receiver first, a field its object, an array access the array.
type ValueCursor struct {
	PartialValue        // the current one
	Target       bool   // it is the receiver of a call or the object of a field: [ValueNull] if there is none
	Index        int32  // of an array access, after the first value
	Failed       bool   // the rest cannot be read: it is damaged, or that of a live breakpoint
	b            []byte // the point
	at, n, left  int    // where the next value is, how many have been read, and how many are left
	class        Class
	version      Version
}

// Start begins with the point whose header, or leaf, is b. b must be whole.
func (c *ValueCursor) Start(v Version, b []byte, class Class) {
	c.b, c.class, c.version, c.Failed = b, class, v, false
	c.n, c.left = 0, 1
	switch class {
	case ClassCall:
		c.at = CallReceiverAt + v.StatusCount(b[StatusCountAt])
	case ClassVariableRead, ClassVariableWrite:
		c.at = LeafValueAt
	case ClassFieldRead, ClassFieldWrite:
		c.at, c.left = LeafValueAt, 2
	case ClassArrayRead, ClassArrayWrite:
		c.at, c.left = ArrayAt, 2
	case ClassThrow, ClassCatch:
		c.at = ThrownAt
	case ClassLoop, ClassIteration:
		c.left = 0
	default:
		c.Failed = true
	}
}

// Next reads the next value; it reports whether there is one.
func (c *ValueCursor) Next() bool {
	if c.left == 0 || c.Failed {
		return false
	}
	i := c.version.partialValue(c.b, c.at, &c.PartialValue)
	if c.Failed = i == 0; c.Failed {
		return false
	}
	c.left--
	if c.Target = false; c.n == 0 {
		switch c.class {
		case ClassCall:
			if c.Failed = i+countSize > len(c.b); c.Failed {
				return false
			}
			c.Target, c.left = true, int(binary.BigEndian.Uint32(c.b[i:]))
			i += countSize
		case ClassFieldRead, ClassFieldWrite:
			c.Target = true
		case ClassArrayRead, ClassArrayWrite:
			if c.Failed = i+ArrayIndexSize > len(c.b); c.Failed {
				return false
			}
			c.Index = int32(binary.BigEndian.Uint32(c.b[i:]))
			i += ArrayIndexSize
		}
	}
	c.at = i
	c.n++
	return true
}

// PartialFooter is what is read of the footer of a call.
type PartialFooter struct {
	Result    PartialValue
	Exception []byte // class name of what it threw, as the Text of a value
	Threw     bool   // as in [Footer]
}

// PartialFooter reads the footer of a call at the start of b into f. ok is false if it is damaged
// or cut.
func (v Version) PartialFooter(b []byte, f *PartialFooter) (ok bool) {
	if len(b) == 0 || Kind(b[KindAt]) != KindFooter {
		return false
	}
	i := v.partialValue(b, CallResultAt, &f.Result)
	if i == 0 {
		return false
	}
	f.Exception, f.Threw, ok = thrownAt(v, b, i)
	return ok
}

// thrownAt reads what follows the result in the footer of a call: the class name of what it threw.
func thrownAt(v Version, b []byte, i int) (name []byte, threw, ok bool) {
	if v >= V27 {
		switch {
		case i >= len(b) || b[i] > 1:
			return nil, false, false
		case b[i] == 0:
			return nil, false, true
		}
		threw = true
		i++
	}
	from, to := utfAt(b, i)
	return b[from:to], threw || from < to, to > 0
}

// Threw reports whether a call ended by an exception, from its footer at the start of b.
func (v Version) Threw(b []byte) (bool, error) {
	if len(b) > 0 && Kind(b[KindAt]) == KindFooter {
		i := 0
		if v >= V27 {
			i = fastValue27(b, CallResultAt)
		} else {
			i = fastValue22(b, CallResultAt)
		}
		if _, threw, ok := thrownAt(v, b, i); i > 0 && ok {
			return threw, nil
		}
	}
	var f PartialFooter
	if v.PartialFooter(b, &f) {
		return f.Threw, nil
	}
	var whole Footer
	_, err := v.DecodeFooter(b, ClassCall, &whole)
	return whole.Threw, err
}

// DecodeHead decodes the fields that identify the TRACEPOINT at the start of b, without its values:
// Class, Location, Thread, Event, Diff, Ref, and Number of an iteration. Other fields of p are
// unchanged. n is the size of the point in bytes.
func (v Version) DecodeHead(b []byte, p *Point) (n int, err error) {
	n, err = v.Size(b, 0)
	if err != nil {
		return 0, err
	}
	c := reader{b: b[:n], i: PointClassAt, v: v}
	p.Class, _ = v.PointClass(c.u8())
	p.Location, p.Thread, p.Event = c.i32(), c.i32(), c.i32()
	p.Diff = DiffStatus(c.u8())
	p.Ref, p.Number = 0, 0
	switch p.Class {
	case ClassCall, ClassLoop, ClassIteration:
		statuses, _ := c.subtreeCount()
		c.take(statuses, "diff statuses")
		p.Ref = c.i32()
		if p.Class == ClassIteration {
			p.Number = c.i32()
		}
	case ClassVariableRead, ClassVariableWrite, ClassFieldRead, ClassFieldWrite:
		p.Ref = c.i32()
	}
	return n, c.error()
}
