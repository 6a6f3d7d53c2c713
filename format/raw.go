package format

import "fmt"

// RawValue is a value as it is in a file. Of what was captured inside it has the message of an exception, and how many fields
// there are of a struct that was recorded by its value.
type RawValue struct {
	Kind    ValueKind
	ClassID int32
	Bits    int64  // as in [Value]
	Text    []byte // modified UTF-8: of a text, of an enum constant, of the message of an exception; part of the file
	Absent  bool   // as in [Value]
	Message bool   // of an exception: there is a message
	Fields  int    // of a [Value.ByValue]: they follow, each a name and a value, which must be read
}

// RawReader reads the values of trace points and of footers, all of them in their order, without allocating.
type RawReader struct{ c skipper }

// Point begins with the values of the point at the start of b. The values are
//
//	call                 receiver, Count, arguments
//	field                its object, value
//	array access         the array, Index, value
//	variable, exception  value
//	live breakpoint      Count, watches
//	loop, iteration      none
func (r *RawReader) Point(v Version, b []byte, class Class) {
	r.c = skipper{reader{b: b, v: v}}
	c := &r.c
	if len(b) < PointHeadSize {
		c.short(PointHeadSize, "a trace point")
		return
	}
	switch class {
	case ClassCall:
		c.i = PointHeadSize
		c.skipSubtree()
		c.i32() // method
	case ClassFieldRead, ClassFieldWrite, ClassVariableRead, ClassVariableWrite:
		c.skip(LeafValueAt, "a trace point")
	case ClassArrayRead, ClassArrayWrite:
		c.skip(ArrayAt, "a trace point")
	case ClassThrow, ClassCatch:
		c.skip(ThrownAt, "a trace point")
	case ClassSnapshot:
		c.skip(PointHeadSize, "a trace point")
		c.skipStack()
	}
}

// skipStack skips what is before the watches of a live breakpoint.
func (c *skipper) skipStack() {
	if c.v > V19 {
		c.take(16, "a UUID")
	}
	c.take(4*c.count(4, "code locations"), "code locations")
	c.take(8, "a time")
	c.skipValues("values")
}

// Footer begins with the footer of a call at the start of b: the result, and Thrown.
func (r *RawReader) Footer(v Version, b []byte) {
	r.c = skipper{reader{b: b, v: v}}
	if k := Kind(r.c.u8()); k != KindFooter && r.c.err == nil {
		r.c.fail(0, KindFooter.String(), k.String())
	}
}

// Count reads how many values follow.
func (r *RawReader) Count() int {
	n := r.c.count(r.c.v.leastValue(), "values")
	if !r.c.listed(int64(n)) {
		return 0
	}
	return n
}

// Watches is Count for those of a live breakpoint: 0 before version 27, which has none.
func (r *RawReader) Watches() int {
	if r.c.v < V27 {
		return 0
	}
	return r.Count()
}

// Index reads the index of an array access.
func (r *RawReader) Index() int32 { return r.c.i32() }

// Name reads the name of a field.
func (r *RawReader) Name() []byte { return r.c.utfBytes() }

// Thrown reads what follows the result of a call: the class name of what it threw, as Text of a value.
func (r *RawReader) Thrown() (name []byte, threw bool) {
	c := &r.c
	if c.v >= V27 {
		if threw = c.bool(); !threw {
			return nil, false
		}
	}
	name = c.utfBytes()
	return name, threw || len(name) > 0
}

// Err returns what is wrong with what was read, with its offset from the start; nil if nothing is.
func (r *RawReader) Err() error { return r.c.error() }

// Result reads the result of a call: a [RawReader.Value], or a mark that there is none.
func (r *RawReader) Result(x *RawValue) {
	r.Value(x, 0)
	if r.c.v < V27 && (x.Kind == ValueString || x.Kind == ValueRawString) {
		switch string(x.Text) {
		case UnfinishedMethod:
			*x = RawValue{Kind: ValueUnfinished}
		case UntrackedResult:
			*x = RawValue{Kind: ValueUntracked}
		}
	}
}

// Value reads a value. depth is the number of structs around it.
func (r *RawReader) Value(x *RawValue, depth int) {
	*x = RawValue{}
	if r.c.v >= V27 {
		r.c.rawValue27(x, depth)
	} else {
		r.c.rawValue22(x, depth)
	}
}

func (c *skipper) rawValue22(x *RawValue, depth int) {
	at := c.i
	id := c.i32()
	switch {
	case id < last22:
		c.fail(at, "a kind of value, -16 or more", fmt.Sprint(id))
		return
	case id < 0:
		x.Kind = kinds22[-id]
		if id == builder22 {
			x.Bits = int64(c.i32())
		}
		c.rawScalar(x)
		return
	}
	x.Kind, x.ClassID, x.Bits = ValueObject, id, int64(c.i32())
	at = c.i
	switch k := c.i32(); {
	case k == 0 || !c.nested(at, depth):
	case k > 0:
		c.rawFields(x, int64(k), depth)
	default:
		x.Kind = ValueArray
		n := -int64(k) - 1
		c.room(4*n+4, "captured elements")
		c.skipElements(n, "captured elements", depth+1)
		x.Bits = ArrayBits(int32(x.Bits), c.i32())
	}
}

func (c *skipper) rawValue27(x *RawValue, depth int) {
	at := c.i
	b := c.u8()
	if b >= kindCount27 {
		c.fail(at, "a kind of value, 0 to 25", fmt.Sprint(b))
		return
	}
	x.Kind = kinds27[b]
	switch x.Kind {
	case ValueEnum:
		x.ClassID = c.i32()
		if x.Absent = !c.bool(); !x.Absent {
			x.Text = c.utfBytes()
		}
		return
	case ValueObject, ValueArray, ValueException, ValueSequence:
		x.ClassID, x.Bits = c.i32(), int64(c.i32())
	default:
		c.rawScalar(x)
		return
	}
	switch b {
	case sequence27:
		x.Text = c.utfBytes()
	case array27, capturedArray27:
		x.Bits = ArrayBits(int32(x.Bits), c.i32())
	}
	if b != capturedObject27 && b != capturedArray27 && b != capturedThrown27 || !c.nested(c.i, depth) {
		return
	}
	switch b {
	case capturedObject27:
		c.rawFields(x, int64(c.count(3, "captured fields")), depth)
	case capturedArray27:
		c.skipElements(int64(c.count(1, "captured elements")), "captured elements", depth+1)
	default:
		if x.Message = c.bool(); x.Message {
			x.Text = c.utfBytes()
		}
		n := c.count(2, "frames")
		if !c.listed(int64(n)) {
			return
		}
		for ; n > 0 && c.err == nil; n-- {
			c.skipUTF()
		}
	}
}

// rawFields leaves the fields of a struct by value to be read, and skips others.
func (c *skipper) rawFields(x *RawValue, n int64, depth int) {
	if int32(x.Bits) != 0 {
		c.skipFields(n, depth)
		return
	}
	c.room(n*int64(2+c.v.leastValue()), "captured fields")
	if c.listed(n) {
		x.Fields = int(n)
	}
}

// rawScalar is [decoder.scalar] for a text in place.
func (c *skipper) rawScalar(x *RawValue) {
	switch x.Kind {
	case ValueNull, ValueVoid, ValueUnit, ValueUnfinished, ValueUntracked:
	case ValueByte:
		x.Bits = int64(int8(c.u8()))
	case ValueBoolean:
		if c.bool() {
			x.Bits = 1
		}
	case ValueShort:
		x.Bits = int64(int16(c.u16()))
	case ValueChar:
		x.Bits = int64(c.u16())
	case ValueInt:
		x.Bits = int64(c.i32())
	case ValueFloat:
		x.Bits = int64(uint32(c.i32()))
	case ValueLong, ValueDouble:
		x.Bits = c.i64()
	default:
		x.Text = c.utfBytes()
	}
}

// utfBytes reads a utf as it is.
func (c *skipper) utfBytes() []byte {
	i := c.i
	if c.skipUTF(); c.err != nil {
		return nil
	}
	b := c.b[i+UTFHeadSize : c.i]
	if bad := badModified(b); bad >= 0 {
		c.fail(i+UTFHeadSize+bad, "modified UTF-8", fmt.Sprintf("byte %02x", b[bad]))
	}
	return b
}
