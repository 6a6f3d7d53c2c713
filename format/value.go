package format

import (
	"encoding/binary"
	"fmt"
	"math"
)

// ValueKind says what a value is: the class id on disk when it is negative,
// [ValueObject] for all that are not. On disk, do not change.
type ValueKind int32

const (
	ValueNull        ValueKind = -1
	ValueVoid        ValueKind = -2
	ValueByte        ValueKind = -3
	ValueShort       ValueKind = -4
	ValueInt         ValueKind = -5
	ValueLong        ValueKind = -6
	ValueFloat       ValueKind = -7
	ValueDouble      ValueKind = -8
	ValueChar        ValueKind = -9
	ValueString      ValueKind = -10
	ValueUnit        ValueKind = -11
	ValueRawString   ValueKind = -12 // printed unquoted: enums, big numbers
	ValueBoolean     ValueKind = -13
	ValueJavaClass   ValueKind = -14
	ValueKotlinClass ValueKind = -15
	ValueBuilder     ValueKind = -16 // StringBuilder
	// ValueObject is an object or an array: the class id itself is on disk.
	ValueObject ValueKind = 0

	lastValueKind = ValueBuilder
)

// Markers that a recorder writes as the string result of a call. They are shown
// without quotes.
const (
	UnfinishedMethod = "<unfinished method>"
	UntrackedResult  = "<untracked result>"
)

// maxValueDepth bounds captured values within captured values.
const maxValueDepth = 200

// Value is a value as it was when it was recorded. What is meaningful depends
// on Kind:
//
//	null, void, Unit                     nothing more
//	byte, short, int, long, boolean, char   Bits: the integer, sign extended (char and boolean not)
//	float, double                        Bits: the IEEE 754 bits (of a float, the low 32)
//	string, raw string, classes          Text
//	builder                              Bits: identity hash, Text
//	object                               ClassID, Bits: identity hash, Captured
//
// The zero Value is an object of class 0 with identity hash 0; use [Null] for
// nothing.
type Value struct {
	Kind     ValueKind
	ClassID  int32
	Bits     int64
	Text     string
	Captured *Captured // nil: an object without captured fields
}

// Captured is what was recorded of the inside of an object or an array.
type Captured struct {
	Array    bool
	Fields   []CapturedField // of an object
	Elements []Value         // of an array: its first elements
	Length   int32           // of an array: its full length
}

// CapturedField is a field of a captured object.
type CapturedField struct {
	Name  string
	Value Value
}

// Null is the null reference; a point without receiver has it as Target.
func Null() Value { return Value{Kind: ValueNull} }

// Primitive reports whether the value's text says the whole of it: neither
// null, void, an object nor an array.
func (v *Value) Primitive() bool { return v.Kind <= ValueByte }

// Float returns a float or double value.
func (v *Value) Float() float64 {
	if v.Kind == ValueFloat {
		return float64(math.Float32frombits(uint32(v.Bits)))
	}
	return math.Float64frombits(uint64(v.Bits))
}

// AppendValue appends a value. It fails with ErrStringTooLong, or when the
// kind is unknown or the value is nested too deeply.
//
//	class id i32, then by it:
//	-1 null, -2 void, -11 Unit   nothing
//	-3 i8  -4 i16  -5 i32  -6 i64  -7 f32  -8 f64  -9 u16  -13 bool
//	-10 -12 -14 -15              utf
//	-16                          identity hash i32, utf
//	>= 0                         identity hash i32, k i32, then
//	    k >= 0                   k × (name utf, value)
//	    k < 0                    -k-1 × value, full length i32
func AppendValue(dst []byte, v *Value) ([]byte, error) { return appendValue(dst, v, 0) }

func appendValue(dst []byte, v *Value, depth int) ([]byte, error) {
	be := binary.BigEndian
	if v.Kind >= 0 {
		return appendObject(dst, v, depth)
	}
	dst = be.AppendUint32(dst, uint32(v.Kind))
	switch v.Kind {
	case ValueNull, ValueVoid, ValueUnit:
		return dst, nil
	case ValueByte, ValueBoolean:
		return append(dst, byte(v.Bits)), nil
	case ValueShort, ValueChar:
		return be.AppendUint16(dst, uint16(v.Bits)), nil
	case ValueInt, ValueFloat:
		return be.AppendUint32(dst, uint32(v.Bits)), nil
	case ValueLong, ValueDouble:
		return be.AppendUint64(dst, uint64(v.Bits)), nil
	case ValueString, ValueRawString, ValueJavaClass, ValueKotlinClass:
		return AppendUTF(dst, v.Text)
	case ValueBuilder:
		return AppendUTF(be.AppendUint32(dst, uint32(v.Bits)), v.Text)
	}
	return dst, corrupt(-1, "a kind of value, -16 to 0", fmt.Sprint(int32(v.Kind)))
}

func appendObject(dst []byte, v *Value, depth int) ([]byte, error) {
	if depth >= maxValueDepth {
		return dst, corrupt(-1, fmt.Sprintf("captured values at most %d deep", maxValueDepth), "more")
	}
	if v.ClassID < 0 {
		return dst, corrupt(-1, "the class of an object, 0 or more", fmt.Sprint(v.ClassID))
	}
	be := binary.BigEndian
	dst = be.AppendUint32(dst, uint32(v.ClassID))
	dst = be.AppendUint32(dst, uint32(v.Bits))
	in := v.Captured
	if in == nil {
		return be.AppendUint32(dst, 0), nil
	}
	var err error
	if in.Array {
		dst = be.AppendUint32(dst, uint32(-int32(len(in.Elements))-1))
		for i := range in.Elements {
			if dst, err = appendValue(dst, &in.Elements[i], depth+1); err != nil {
				return dst, err
			}
		}
		return be.AppendUint32(dst, uint32(in.Length)), nil
	}
	dst = be.AppendUint32(dst, uint32(len(in.Fields)))
	for i := range in.Fields {
		if dst, err = AppendUTF(dst, in.Fields[i].Name); err != nil {
			return dst, err
		}
		if dst, err = appendValue(dst, &in.Fields[i].Value, depth+1); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (c *cursor) value(v *Value, depth int) {
	at := c.i
	id := c.i32()
	*v = Value{Kind: ValueKind(min(id, 0))}
	switch v.Kind {
	case ValueNull, ValueVoid, ValueUnit:
	case ValueByte:
		v.Bits = int64(int8(c.u8()))
	case ValueBoolean:
		if c.bool() {
			v.Bits = 1
		}
	case ValueShort:
		v.Bits = int64(int16(c.u16()))
	case ValueChar:
		v.Bits = int64(c.u16())
	case ValueInt:
		v.Bits = int64(c.i32())
	case ValueFloat:
		v.Bits = int64(uint32(c.i32()))
	case ValueLong, ValueDouble:
		v.Bits = c.i64()
	case ValueString, ValueRawString, ValueJavaClass, ValueKotlinClass:
		v.Text = c.utf()
	case ValueBuilder:
		v.Bits = int64(c.i32())
		v.Text = c.utf()
	case ValueObject:
		v.ClassID = id
		v.Bits = int64(c.i32())
		v.Captured = c.captured(depth)
	default:
		c.fail(at, "a kind of value, -16 or more", fmt.Sprint(id))
	}
}

// captured reads what follows an object's identity hash.
func (c *cursor) captured(depth int) *Captured {
	at := c.i
	k := c.i32()
	if k == 0 || c.err != nil {
		return nil
	}
	if depth >= maxValueDepth {
		c.fail(at, fmt.Sprintf("captured values at most %d deep", maxValueDepth), "more")
		return nil
	}
	in := &Captured{Array: k < 0}
	// A value takes 4 bytes at least, a field 6. The slices grow with what
	// is really there: a count is only a claim.
	if in.Array {
		n := -int64(k) - 1
		c.room(4*n+4, "captured elements")
		for range n {
			var v Value
			if c.value(&v, depth+1); c.err != nil {
				return nil
			}
			in.Elements = append(in.Elements, v)
		}
		in.Length = c.i32()
		return in
	}
	c.room(6*int64(k), "captured fields")
	for range k {
		var f CapturedField
		f.Name = c.utf()
		if c.value(&f.Value, depth+1); c.err != nil {
			return nil
		}
		in.Fields = append(in.Fields, f)
	}
	return in
}
