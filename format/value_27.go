package format

import (
	"encoding/binary"
	"fmt"
)

// The encoding of version 27.

// classes27 are the classes of trace points by the byte on disk. On disk, do not
// change.
var classes27 = [classCount]Class{
	0: ClassFieldWrite, 1: ClassArrayWrite, 2: ClassVariableWrite, 3: ClassFieldRead, 4: ClassArrayRead, 5: ClassVariableRead,
	6: ClassCall, 7: ClassLoop, 8: ClassIteration, 9: ClassThrow, 10: ClassCatch, 11: ClassSnapshot,
}

// classBytes27 is the inverse of classes27.
var classBytes27 = func() (bytes [classCount]byte) {
	for b, c := range classes27 {
		bytes[c] = byte(b)
	}
	return bytes
}()

// The kinds of values. On disk, do not change.
const (
	null27           = 0
	void27           = 1
	int27            = 5
	char27           = 9
	enum27           = 12
	object27         = 15
	capturedObject27 = 16
	array27          = 17
	capturedArray27  = 18
	sequence27       = 19
	exception27      = 20
	capturedThrown27 = 21

	kindCount27 = 26
)

// kinds27 are the kinds of values by the byte on disk.
var kinds27 = [kindCount27]ValueKind{
	null27: ValueNull, void27: ValueVoid, 2: ValueUnit, 3: ValueByte, 4: ValueShort, int27: ValueInt, 6: ValueLong, 7: ValueFloat,
	8: ValueDouble, char27: ValueChar, 10: ValueBoolean, 11: ValueString, enum27: ValueEnum, 13: ValueBigInteger, 14: ValueBigDecimal,
	object27: ValueObject, capturedObject27: ValueObject, array27: ValueArray, capturedArray27: ValueArray, sequence27: ValueSequence,
	exception27: ValueException, capturedThrown27: ValueException, 22: ValueJavaClass, 23: ValueKotlinClass,
	24: ValueUnfinished, 25: ValueUntracked,
}

// lacks27 marks the kinds in kindBytes27 that version 27 lacks.
const lacks27 = 255

// kindBytes27 is the inverse of kinds27. For kinds with and without captured state it has
// the one without.
var kindBytes27 = func() (bytes [valueKindCount]byte) {
	for i := range bytes {
		bytes[i] = lacks27
	}
	for b, kind := range kinds27 {
		if bytes[kind] == lacks27 {
			bytes[kind] = byte(b)
		}
	}
	return bytes
}()

// sizes27 are the sizes of values of fixed size, including their kind; for values that end with
// a utf, the negated number of bytes before it; 0 for the others.
var sizes27 = [kindCount27]int8{
	0: 1, 1: 1, 2: 1, 3: 2, 4: 3, 5: 5, 6: 9, 7: 5, 8: 9, 9: 3, 10: 2, 11: -1, 13: -1, 14: -1,
	object27: 9, array27: 13, sequence27: -9, exception27: 9, 22: -1, 23: -1, 24: 1, 25: 1,
}

// appendValue27 appends a value.
//
//	kind u8, then by it:
//	0 null, 1 void, 2 Unit, 24 and 25 marks  nothing
//	3 i8  4 i16  5 i32  6 i64  7 f32  8 f64  9 u16  10 bool
//	11 string, 13 14 big, 22 23 classes      utf
//	12 enum constant                         class i32, bool, name utf if true
//	15 object, 20 exception                  class i32, identity hash i32
//	16 captured object                       class i32, identity hash i32, n i32, n × (name utf, value)
//	17 array                                 class i32, identity hash i32, length i32
//	18 captured array                        the same, n i32, n × value
//	19 character sequence                    class i32, identity hash i32, utf
//	21 captured exception                    class i32, identity hash i32, bool, message utf if true, n i32, n × frame utf
func appendValue27(dst []byte, x *Value, depth int) ([]byte, error) {
	if x.Kind >= valueKindCount || kindBytes27[x.Kind] == lacks27 {
		return dst, V27.lacks("a value of the kind " + x.Kind.String())
	}
	be, b := binary.BigEndian, kindBytes27[x.Kind]
	switch x.Kind {
	case ValueEnum:
		dst = be.AppendUint32(append(dst, b), uint32(x.ClassID))
		if x.Absent {
			return append(dst, 0), nil
		}
		return AppendUTF(append(dst, 1), x.Text)
	case ValueObject, ValueArray, ValueException:
		if x.Captured != nil {
			b++
		}
	case ValueSequence:
	default:
		return appendScalar(append(dst, b), x)
	}
	dst = be.AppendUint32(append(dst, b), uint32(x.ClassID))
	dst = be.AppendUint32(dst, uint32(x.Hash()))
	switch b {
	case capturedObject27:
		return V27.appendFields(dst, x.Captured.Fields, depth)
	case array27:
		return be.AppendUint32(dst, uint32(x.Length())), nil
	case capturedArray27:
		return V27.appendValues(be.AppendUint32(dst, uint32(x.Length())), x.Captured.Elements, depth+1)
	case capturedThrown27:
		return x.Captured.appendThrown(dst)
	case object27, exception27:
		return dst, nil
	}
	return AppendUTF(dst, x.Text)
}

// appendThrown appends message and frames of an exception.
func (in *Captured) appendThrown(dst []byte) ([]byte, error) {
	dst, err := appendOptional(dst, in.Message)
	if err != nil {
		return dst, err
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(in.Frames)))
	for _, frame := range in.Frames {
		if dst, err = AppendUTF(dst, frame); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (c *decoder) value27(v *Value, depth int) {
	at := c.i
	// The commonest kinds, if enough bytes are left for either.
	if b := c.b; len(b)-at >= ObjectSize27 {
		b = b[at : at+ObjectSize27]
		switch b[0] {
		case null27, void27:
			*v = Value{Kind: kinds27[b[0]]}
			c.i = at + ValueHeadSize27
			return
		case int27:
			*v = Value{Kind: ValueInt, Bits: int64(int32(binary.BigEndian.Uint32(b[ValueHeadSize27:])))}
			c.i = at + ValueHeadSize27 + 4
			return
		case object27:
			*v = Value{ClassID: int32(binary.BigEndian.Uint32(b[ObjectClassAt27:])), Bits: int64(int32(binary.BigEndian.Uint32(b[ObjectIdentityAt27:])))}
			c.i = at + ObjectSize27
			return
		}
	}
	b := c.u8()
	if b >= kindCount27 {
		c.fail(at, "a kind of value, 0 to 25", fmt.Sprint(b))
		return
	}
	*v = Value{Kind: kinds27[b]}
	switch v.Kind {
	case ValueEnum:
		v.ClassID = c.i32()
		if v.Absent = !c.bool(); !v.Absent {
			v.Text = c.utf()
		}
	case ValueObject, ValueArray, ValueException:
		v.ClassID, v.Bits = c.i32(), int64(c.i32())
		c.inside27(b, v, depth)
	case ValueSequence:
		v.ClassID, v.Bits = c.i32(), int64(c.i32())
		v.Text = c.utf()
	default:
		c.scalar(v)
	}
}

// inside27 reads what follows an object's identity hash.
func (c *decoder) inside27(kind byte, v *Value, depth int) {
	if v.Kind == ValueArray {
		v.Bits = ArrayBits(v.Hash(), c.i32())
	}
	if kind == object27 || kind == array27 || kind == exception27 || !c.nested(c.i, depth) {
		return
	}
	in := new(Captured)
	switch kind {
	case capturedObject27:
		in.Fields = c.fields(int64(c.count(3, "captured fields")), depth)
	case capturedArray27:
		in.Elements = c.elements(int64(c.count(1, "captured elements")), "captured elements", depth+1)
	default:
		in.Message = c.optional()
		n := c.count(2, "frames")
		if !c.listed(int64(n)) {
			return
		}
		for ; n > 0 && c.err == nil; n-- {
			in.Frames = append(in.Frames, c.utf())
		}
	}
	if c.err == nil {
		v.Captured = in
	}
}

// footer27 reads the footer of a call: result value, bool, exception class name
// utf if true.
func (c *decoder) footer27(f *Footer) {
	c.value(&f.Result, 0)
	if f.Threw = c.bool(); f.Threw {
		f.Exception = c.utf()
	}
}

func appendFooter27(dst []byte, f *Footer) ([]byte, error) {
	dst, err := V27.AppendValue(dst, &f.Result)
	if err != nil || !f.threw() {
		return append(dst, 0), err
	}
	return AppendUTF(append(dst, 1), f.Exception)
}

func (c *skipper) skipFooter27() {
	c.skipValue(0)
	c.skipOptional()
}

// subtreeCount27 reads the number of diff statuses of a container: i8; -1 for no list, which
// differs from an empty list.
func (c *reader) subtreeCount27() (n int, marked bool) {
	at := c.i
	count := int8(c.u8())
	if count < -1 {
		c.fail(at, "the number of diff statuses, -1 or more", fmt.Sprint(count))
	}
	return max(0, int(count)), count >= 0
}

func (c *skipper) skipValue27(depth int) {
	at := c.i
	b := c.u8()
	if c.err != nil {
		return
	}
	if b >= kindCount27 {
		c.fail(at, "a kind of value, 0 to 25", fmt.Sprint(b))
		return
	}
	switch n := int(sizes27[b]); {
	case n > 0:
		c.skip(n-1, "a value")
		return
	case n < 0:
		c.skip(-n-1, "a value")
		c.skipUTF()
		return
	}
	c.i32() // class id
	if kinds27[b] == ValueEnum {
		c.skipOptional()
		return
	}
	c.i32() // identity hash
	if b == capturedArray27 {
		c.i32() // length
	}
	if !c.nested(c.i, depth) {
		return
	}
	switch b {
	case capturedObject27:
		c.skipFields(int64(c.count(3, "captured fields")), depth)
	case capturedArray27:
		c.skipElements(int64(c.count(1, "captured elements")), "captured elements", depth+1)
	case capturedThrown27:
		c.skipOptional()
		n := c.count(2, "frames")
		if !c.listed(int64(n)) {
			return
		}
		for ; n > 0 && c.err == nil; n-- {
			c.skipUTF()
		}
	}
}

// fastSize27 is fastSize for version 27. Its shapes make up most of a trace.
func fastSize27(b []byte, open Class) int {
	const rest = 16 // more than is read of a value at once
	if len(b) < PointHeadSize+rest {
		return 0
	}
	switch Kind(b[KindAt]) {
	case KindTracePoint:
		if !DiffStatus(b[PointDiffAt]).Valid() || b[PointClassAt] >= classCount {
			return 0
		}
		switch classes27[b[PointClassAt]] {
		case ClassVariableRead, ClassVariableWrite:
			return fastValue27(b, LeafValueAt)
		case ClassFieldRead, ClassFieldWrite:
			i := fastValue27(b, LeafValueAt)
			if i > 0 {
				i = fastValue27(b, i)
			}
			return i
		case ClassArrayRead, ClassArrayWrite:
			i := fastValue27(b, ArrayAt)
			if i > 0 {
				i = fastValue27(b, i+ArrayIndexSize)
			}
			return i
		case ClassCall:
			return fastCall27(b)
		case ClassIteration:
			if b[StatusCountAt] == 0xff {
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
			i := fastValue27(b, CallResultAt)
			switch {
			case i == 0 || len(b)-i < 1+UTFHeadSize || b[i] > 1:
				return 0
			case b[i] == 0:
				return i + 1
			}
			if i += 1 + UTFHeadSize + int(binary.BigEndian.Uint16(b[i+1:])); i <= len(b) {
				return i
			}
		}
	}
	return 0
}

// fastCall27 is fastSize27 for the header of a call.
func fastCall27(b []byte) int {
	if b[StatusCountAt] != 0xff { // diff statuses
		return 0
	}
	i := fastValue27(b, CallReceiverAt)
	if i == 0 || len(b)-i < 6 {
		return 0
	}
	n := binary.BigEndian.Uint32(b[i:])
	if n > maxListed {
		return 0
	}
	i += countSize
	for ; n > 0; n-- {
		if i = fastValue27(b, i); i == 0 {
			return 0
		}
	}
	if i += CallFlagsSize; i > len(b) {
		return 0
	}
	return i
}

// fastValue27 returns the offset after the value at offset i of b; 0 if the slow path has to look.
func fastValue27(b []byte, i int) int {
	const most = 13 // bytes of a value of fixed size, or up to the end of a utf's length
	if len(b)-i < most || b[i] >= kindCount27 {
		return 0
	}
	n := int(sizes27[b[i]])
	if n > 0 {
		return i + n
	}
	if n == 0 {
		return 0
	}
	if i += UTFHeadSize - n + int(binary.BigEndian.Uint16(b[i-n:])); i <= len(b) {
		return i
	}
	return 0
}
