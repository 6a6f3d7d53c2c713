package format

import (
	"encoding/binary"
	"fmt"
)

// Size returns the number of bytes of the object at the start of b, without
// decoding it. open is the class of the container that a footer would close;
// it is not looked at for other kinds. Size is what a scan stands on: it
// accepts what the decoders accept, except for what only concerns the inside
// of an object (booleans, kinds of locations, modified UTF-8).
func Size(b []byte, open Class) (int, error) {
	if n := fastSize(b, open); n > 0 {
		return n, nil
	}
	c := cursor{b: b}
	c.skipAny(open)
	if c.err != nil {
		return 0, c.err
	}
	return c.i, nil
}

// skipAny moves over the next object.
func (c *cursor) skipAny(open Class) {
	k := Kind(c.u8())
	if c.err != nil {
		return
	}
	switch k {
	case KindTracePoint:
		c.skipPoint()
	case KindFooter:
		c.skipFooter(open)
	case KindBlockStart:
		c.take(4, "a thread id")
	case KindBlockEnd, KindEOF:
	default:
		if !k.Valid() {
			c.fail(0, "the kind of an object, 0 to 12", fmt.Sprint(uint8(k)))
			return
		}
		c.skipReference(k)
	}
}

func (c *cursor) skipFooter(open Class) {
	switch open {
	case ClassCall:
		c.skipValue(0)
		c.skipUTF()
	case ClassLoop:
		c.take(4, "the iterations of a loop")
	}
}

func (c *cursor) skipPoint() {
	head := c.take(pointHead-1, "a trace point")
	if head == nil {
		return
	}
	if d := DiffStatus(head[pointHead-2]); !d.Valid() {
		c.fail(pointHead-1, "a diff status, -1 to 4", fmt.Sprint(int8(d)))
		return
	}
	switch class := Class(head[0]); class {
	case ClassCall:
		c.skipSubtree()
		c.take(4, "a method id")
		c.skipValue(0)
		c.skipValues("arguments")
		c.take(2, "the flags of a call")
	case ClassArrayRead, ClassArrayWrite:
		c.skipValue(0)
		c.take(4, "an index")
		c.skipValue(0)
	case ClassVariableRead, ClassVariableWrite:
		c.take(4, "a variable id")
		c.skipValue(0)
	case ClassFieldRead, ClassFieldWrite:
		c.take(4, "a field id")
		c.skipValue(0)
		c.skipValue(0)
	case ClassLoop:
		c.skipSubtree()
		c.take(4, "a loop id")
	case ClassIteration:
		c.skipSubtree()
		c.take(8, "a loop id and an iteration")
	case ClassSnapshot:
		c.skipSnapshot()
	case ClassThrow, ClassCatch:
		c.skipValue(0)
	default:
		c.fail(1, "a class of trace point, 0 to 11", fmt.Sprint(uint8(class)))
	}
}

func (c *cursor) skipSubtree() {
	n := int(c.u8())
	at := c.i
	for i, b := range c.take(n, "diff statuses") {
		if d := DiffStatus(b); !d.Valid() {
			c.fail(at+i, "a diff status, -1 to 4", fmt.Sprint(int8(d)))
			return
		}
	}
}

func (c *cursor) skipSnapshot() {
	c.take(16, "a UUID")
	c.take(4*c.count(4, "code locations"), "code locations")
	c.take(8, "a time")
	c.skipValues("values")
	if c.bool() {
		c.skipUTF()
	}
}

func (c *cursor) skipValues(what string) {
	for n := c.count(4, what); n > 0 && c.err == nil; n-- {
		c.skipValue(0)
	}
}

func (c *cursor) skipUTF() {
	if i := c.i; len(c.b)-i >= 2 {
		if next := i + 2 + int(binary.BigEndian.Uint16(c.b[i:])); next <= len(c.b) {
			c.i = next
			return
		}
	}
	c.take(int(c.u16()), "a string")
}

// valueSizes holds the bytes behind the class id of the values of fixed size,
// by minus their kind; -1 for the others.
var valueSizes = [1 - lastValueKind]int8{-1, 0, 0, 1, 2, 4, 8, 4, 8, 2, -1, 0, -1, 1, -1, -1, -1}

func (c *cursor) skipValue(depth int) {
	at := c.i
	id := c.i32()
	if c.err != nil {
		return
	}
	if id >= 0 {
		c.skipObject(depth)
		return
	}
	if id < int32(lastValueKind) {
		c.fail(at, "a kind of value, -16 or more", fmt.Sprint(id))
		return
	}
	if n := int(valueSizes[-id]); n >= 0 {
		if len(c.b)-c.i < n {
			c.short(n, "a value")
			return
		}
		c.i += n
		return
	}
	if ValueKind(id) == ValueBuilder {
		c.i32()
	}
	c.skipUTF()
}

func (c *cursor) skipObject(depth int) {
	c.i32() // identity hash
	at := c.i
	k := c.i32()
	if k == 0 || c.err != nil {
		return
	}
	if depth >= maxValueDepth {
		c.fail(at, fmt.Sprintf("captured values at most %d deep", maxValueDepth), "more")
		return
	}
	if k < 0 {
		n := -int64(k) - 1
		c.room(4*n+4, "captured elements")
		for ; n > 0 && c.err == nil; n-- {
			c.skipValue(depth + 1)
		}
		c.i32() // full length
		return
	}
	// A field is a name and a value: 6 bytes at least.
	c.room(6*int64(k), "captured fields")
	for ; k > 0 && c.err == nil; k-- {
		c.skipUTF()
		c.skipValue(depth + 1)
	}
}

func (c *cursor) skipReference(k Kind) {
	if k == KindCodeLocation {
		c.take(1+6*4, "a code location")
		c.take(4*c.count(4, "argument names"), "argument names")
		c.take(8*c.count(8, "active locals"), "active locals")
		return
	}
	c.take(4, "an id")
	switch k {
	case KindThreadName, KindClassDescriptor, KindString:
		c.skipUTF()
	case KindMethodDescriptor:
		c.take(4, "a class id")
		c.skipUTF()
		c.skipType()
		for n := c.argCount(); n > 0 && c.err == nil; n-- {
			c.skipType()
		}
	case KindFieldDescriptor:
		c.take(4, "a class id")
		c.skipUTF()
		c.skipType()
		c.take(3, "the modifiers of a field")
	case KindVariableDescriptor:
		c.skipUTF()
		c.skipType()
	case KindAccessPath:
		c.take(5*c.count(5, "access locations"), "access locations")
	}
}

func (c *cursor) skipType() {
	for dims := 0; ; dims++ {
		at := c.i
		switch k := TypeKind(c.u8()); {
		case c.err != nil:
			return
		case k >= typeKindCount:
			c.fail(at, "the kind of a type, 0 to 10", fmt.Sprint(uint8(k)))
			return
		case k == TypeArray:
			if dims == maxTypeDepth {
				c.fail(at, "an array of at most 255 dimensions", "more")
				return
			}
			continue
		case k == TypeObject:
			c.skipUTF()
		}
		return
	}
}
