package format

import (
	"encoding/binary"
	"fmt"
)

// The encoding of version 22, and of 19 before it.

// kinds22 are the kinds of values, indexed by the negated class id on disk, if that is
// negative. On disk, do not change.
var kinds22 = [17]ValueKind{
	1: ValueNull, 2: ValueVoid, 3: ValueByte, 4: ValueShort, 5: ValueInt, 6: ValueLong, 7: ValueFloat, 8: ValueDouble,
	9: ValueChar, 10: ValueString, 11: ValueUnit, 12: ValueRawString, 13: ValueBoolean, 14: ValueJavaClass,
	15: ValueKotlinClass, 16: ValueBuilder,
}

// classes22 are the classes of trace points by the byte on disk. Class has the same numbers.
var classes22 = [classCount]Class{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}

const (
	null22    = -1
	void22    = -2
	int22     = -5
	char22    = -9
	string22  = -10
	raw22     = -12
	builder22 = -16
	last22    = -16 // the least class id

	bareArray22 = 1<<32 - 1 // the count of what is captured of an array, if that is nothing
)

// classIDs22 is the inverse of kinds22; 0 for a kind without such a class id.
var classIDs22 = func() (ids [valueKindCount]int32) {
	for id, kind := range kinds22[1:] {
		ids[kind] = -int32(id) - 1
	}
	ids[ValueUnfinished], ids[ValueUntracked] = string22, string22
	return ids
}()

// sizes22 holds the number of bytes after the class id for values of fixed size, indexed by the
// negated class id; -1 for the others.
var sizes22 = [len(kinds22)]int8{-1, 0, 0, 1, 2, 4, 8, 4, 8, 2, -1, 0, -1, 1, -1, -1, -1}

// appendValue22 appends a value.
//
//	class id i32, then by it:
//	-1 null, -2 void, -11 Unit   nothing
//	-3 i8  -4 i16  -5 i32  -6 i64  -7 f32  -8 f64  -9 u16  -13 bool
//	-10 -12 -14 -15              utf
//	-16                          identity hash i32, utf
//	>= 0                         identity hash i32, k i32, then
//	    k >= 0                   k × (name utf, value)
//	    k < 0                    -k-1 × value, full length i32
func (v Version) appendValue22(dst []byte, x *Value, depth int) ([]byte, error) {
	be := binary.BigEndian
	switch x.Kind {
	case ValueObject, ValueArray:
		return v.appendObject22(dst, x, depth)
	case ValueUnfinished:
		return AppendUTF(be.AppendUint32(dst, x.markID22()), UnfinishedMethod)
	case ValueUntracked:
		return AppendUTF(be.AppendUint32(dst, x.markID22()), UntrackedResult)
	}
	if x.Kind >= valueKindCount || classIDs22[x.Kind] == 0 {
		return dst, v.lacks("a value of the kind " + x.Kind.String())
	}
	dst = be.AppendUint32(dst, uint32(classIDs22[x.Kind]))
	if x.Kind == ValueBuilder {
		dst = be.AppendUint32(dst, uint32(x.Bits))
	}
	return appendScalar(dst, x)
}

func (x *Value) markID22() uint32 {
	id := int32(string22)
	if x.raw {
		id = raw22
	}
	return uint32(id)
}

func (v Version) appendObject22(dst []byte, x *Value, depth int) ([]byte, error) {
	if x.ClassID < 0 {
		return dst, corrupt(-1, "the class of an object, 0 or more", fmt.Sprint(x.ClassID))
	}
	be := binary.BigEndian
	dst = be.AppendUint32(dst, uint32(x.ClassID))
	dst = be.AppendUint32(dst, uint32(x.Hash()))
	in := x.Captured
	if x.Kind == ValueObject {
		if in == nil {
			return be.AppendUint32(dst, 0), nil
		}
		return v.appendFields(dst, in.Fields, depth)
	}
	var elements []Value
	if in != nil {
		elements = in.Elements
	}
	dst = be.AppendUint32(dst, uint32(-int32(len(elements))-1))
	var err error
	for i := range elements {
		if dst, err = v.appendValue(dst, &elements[i], depth+1); err != nil {
			return dst, err
		}
	}
	return be.AppendUint32(dst, uint32(x.Length())), nil
}

func (c *decoder) value22(v *Value, depth int) {
	at := c.i
	// The commonest kinds, if enough bytes are left for either.
	if b := c.b; len(b)-at >= ObjectSize22 {
		b = b[at : at+ObjectSize22]
		id := int32(binary.BigEndian.Uint32(b))
		word := binary.BigEndian.Uint32(b[ObjectIdentityAt22:])
		switch {
		case id >= 0 && binary.BigEndian.Uint32(b[ObjectCountAt22:]) == 0:
			*v = Value{ClassID: id, Bits: int64(int32(word))}
			c.i = at + ObjectSize22
			return
		case id == int22:
			*v = Value{Kind: ValueInt, Bits: int64(int32(word))}
			c.i = at + ValueHeadSize22 + 4
			return
		case id == null22:
			*v = Value{Kind: ValueNull}
			c.i = at + ValueHeadSize22
			return
		case id == void22:
			*v = Value{Kind: ValueVoid}
			c.i = at + ValueHeadSize22
			return
		}
	}
	id := c.i32()
	if id >= 0 {
		*v = Value{ClassID: id, Bits: int64(c.i32())}
		c.inside22(v, depth)
		return
	}
	if id < last22 {
		c.fail(at, "a kind of value, -16 or more", fmt.Sprint(id))
		return
	}
	*v = Value{Kind: kinds22[-id]}
	if id == builder22 {
		v.Bits = int64(c.i32())
	}
	c.scalar(v)
}

// inside22 reads what follows an object's identity hash.
func (c *decoder) inside22(v *Value, depth int) {
	at := c.i
	k := c.i32()
	if k == 0 || !c.nested(at, depth) {
		return
	}
	if k > 0 {
		v.Captured = &Captured{Fields: c.fields(int64(k), depth)}
		return
	}
	v.Kind = ValueArray
	n := -int64(k) - 1
	c.room(4*n+4, "captured elements")
	if n > 0 {
		v.Captured = &Captured{Elements: c.elements(n, "captured elements", depth+1)}
	}
	v.Bits = ArrayBits(v.Hash(), c.i32())
}

// mark22 turns a string that marks a missing result into that mark: the file has it as a string.
func (v *Value) mark22() {
	if v.Kind != ValueString && v.Kind != ValueRawString {
		return
	}
	kind := ValueUnfinished
	switch v.Text {
	case UnfinishedMethod:
	case UntrackedResult:
		kind = ValueUntracked
	default:
		return
	}
	*v = Value{Kind: kind, raw: v.Kind == ValueRawString}
}

// footer22 reads the footer of a call: result value, exception class name utf.
func (c *decoder) footer22(f *Footer) {
	c.value(&f.Result, 0)
	f.Result.mark22()
	f.Exception = c.utf()
	f.Threw = f.Exception != ""
}

func (v Version) appendFooter22(dst []byte, f *Footer) ([]byte, error) {
	dst, err := v.AppendValue(dst, &f.Result)
	if err != nil {
		return dst, err
	}
	return AppendUTF(dst, f.Exception)
}

func (c *skipper) skipFooter22() {
	c.skipValue(0)
	c.skipUTF()
}

// subtreeCount22 reads the number of diff statuses of a container: u8; 0 for none.
func (c *reader) subtreeCount22() (n int, marked bool) {
	n = int(c.u8())
	return n, n > 0
}

func (c *skipper) skipValue22(depth int) {
	at := c.i
	id := c.i32()
	if c.err != nil {
		return
	}
	if id >= 0 {
		c.skipObject22(depth)
		return
	}
	if id < last22 {
		c.fail(at, "a kind of value, -16 or more", fmt.Sprint(id))
		return
	}
	if n := int(sizes22[-id]); n >= 0 {
		c.skip(n, "a value")
		return
	}
	if id == builder22 {
		c.i32()
	}
	c.skipUTF()
}

func (c *skipper) skipObject22(depth int) {
	c.i32() // identity hash
	at := c.i
	k := c.i32()
	if k == 0 || c.err != nil || !c.nested(at, depth) {
		return
	}
	if k > 0 {
		c.skipFields(int64(k), depth)
		return
	}
	n := -int64(k) - 1
	c.room(4*n+4, "captured elements")
	c.skipElements(n, "captured elements", depth+1)
	c.i32() // full length
}

// fastSize22 is fastSize for version 22. Its shapes make up most of a trace.
func fastSize22(b []byte, open Class) int {
	const rest = 16 // more than is read of a value at once
	if len(b) < PointHeadSize+rest {
		return 0
	}
	i := 0
	switch Kind(b[KindAt]) {
	case KindTracePoint:
		if !DiffStatus(b[PointDiffAt]).Valid() {
			return 0
		}
		switch Class(b[1]) {
		case ClassVariableRead, ClassVariableWrite:
			return fastValue22(b, LeafValueAt)
		case ClassFieldRead, ClassFieldWrite:
			if i = fastValue22(b, LeafValueAt); i > 0 {
				i = fastValue22(b, i)
			}
			return i
		case ClassArrayRead, ClassArrayWrite:
			i := fastValue22(b, ArrayAt)
			if i > 0 {
				i = fastValue22(b, i+ArrayIndexSize)
			}
			return i
		case ClassCall:
			return fastCall22(b)
		case ClassIteration:
			if b[StatusCountAt] == 0 {
				return IterationHeadSize
			}
		}
	case KindFooter:
		switch open {
		case ClassIteration:
			return FooterSize
		case ClassLoop:
			return LoopFooterSize
		case ClassCall:
			i = fastValue22(b, CallResultAt)
			if i == 0 || len(b)-i < UTFHeadSize {
				return 0
			}
			if i += UTFHeadSize + int(binary.BigEndian.Uint16(b[i:])); i <= len(b) {
				return i
			}
		}
	}
	return 0
}

// fastCall22 is fastSize22 for the header of a call.
func fastCall22(b []byte) int {
	if b[StatusCountAt] != 0 { // diff statuses
		return 0
	}
	i := fastValue22(b, CallReceiverAt)
	if i == 0 || len(b)-i < 6 {
		return 0
	}
	n := binary.BigEndian.Uint32(b[i:])
	if n > maxListed {
		return 0
	}
	i += countSize
	for ; n > 0; n-- {
		if i = fastValue22(b, i); i == 0 {
			return 0
		}
	}
	if i += CallFlagsSize; i > len(b) {
		return 0
	}
	return i
}

// fastValue22 returns the offset after the value at offset i of b; 0 if the slow path has to look.
func fastValue22(b []byte, i int) int {
	if len(b)-i < ObjectSize22 {
		return 0
	}
	id := int32(binary.BigEndian.Uint32(b[i:]))
	if id >= 0 {
		switch binary.BigEndian.Uint32(b[i+ObjectCountAt22:]) {
		case 0:
			return i + ObjectSize22
		case bareArray22:
			if i += ObjectSize22 + countSize; i <= len(b) {
				return i
			}
		}
		return 0 // captured, or cut
	}
	if id < last22 {
		return 0
	}
	if n := sizes22[-id]; n >= 0 {
		return i + ValueHeadSize22 + int(n)
	}
	if id == builder22 {
		i += IDSize // identity hash
	}
	if i += ValueHeadSize22 + UTFHeadSize + int(binary.BigEndian.Uint16(b[i+ValueHeadSize22:])); i <= len(b) {
		return i
	}
	return 0
}
