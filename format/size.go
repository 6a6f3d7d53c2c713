package format

import "fmt"

// Size returns the number of bytes of the object at the start of b, without decoding it. open
// is the class of the container that a footer would close; it is ignored for other kinds. Scans
// are based on Size: it accepts the same input as the decoders, except for errors inside an
// object (booleans, kinds of locations, modified UTF-8).
func (v Version) Size(b []byte, open Class) (int, error) {
	if n := v.fastSize(b, open); n > 0 {
		return n, nil
	}
	c := skipper{reader{b: b, v: v}}
	c.skipAny(open)
	if c.err != nil {
		return 0, c.err
	}
	return c.i, nil
}

// fastSize is the fast path of Size. It returns the size of the object at the start of b if that
// is a trace point or a footer of one of the shapes that make up nearly all of a trace. It
// returns 0 for everything else, including damaged objects and the last bytes of the input, which
// the slow path then handles. Where it returns a size, the slow path would return the same.
func (v Version) fastSize(b []byte, open Class) int {
	if v >= V27 {
		return fastSize27(b, open)
	}
	return fastSize22(b, open)
}

// skipAny skips the next object.
func (c *skipper) skipAny(open Class) {
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
		c.take(IDSize, "a thread id")
	case KindBlockEnd, KindEOF:
	default:
		if !k.Valid() {
			c.fail(0, "the kind of an object, 0 to 12", fmt.Sprint(uint8(k)))
			return
		}
		c.skipReference(k)
	}
}

func (c *skipper) skipFooter(open Class) {
	switch open {
	case ClassCall:
		if c.v >= V27 {
			c.skipFooter27()
		} else {
			c.skipFooter22()
		}
	case ClassLoop:
		c.take(4, "the iterations of a loop")
	}
}

func (c *skipper) skipPoint() {
	head := c.take(PointHeadSize-1, "a trace point")
	if head == nil {
		return
	}
	if d := DiffStatus(head[PointDiffAt-1]); !d.Valid() {
		c.fail(PointDiffAt, "a diff status, -1 to 4", fmt.Sprint(int8(d)))
		return
	}
	class, ok := c.v.PointClass(head[PointClassAt-1])
	if !ok {
		c.fail(PointClassAt, "a class of trace point, 0 to 11", fmt.Sprint(head[PointClassAt-1]))
		return
	}
	switch class {
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
	}
}

func (c *skipper) skipSubtree() {
	n, _ := c.subtreeCount()
	at := c.i
	for i, b := range c.take(n, "diff statuses") {
		if d := DiffStatus(b); !d.Valid() {
			c.fail(at+i, "a diff status, -1 to 4", fmt.Sprint(int8(d)))
			return
		}
	}
}

func (c *skipper) skipSnapshot() {
	c.skipStack()
	if c.v >= V27 {
		c.skipValues("watches")
	}
	c.skipOptional()
}

func (c *skipper) skipValues(what string) {
	c.skipElements(int64(c.count(c.v.leastValue(), what)), what, 0)
}

func (c *skipper) skipReference(k Kind) {
	if k == KindCodeLocation {
		c.take(c.v.locationHead(), "a code location")
		c.take(4*c.count(4, "argument names"), "argument names")
		c.take(8*c.count(8, "active locals"), "active locals")
		if c.v >= V27 {
			c.take(4*c.count(4, "loops"), "loops")
		}
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
		c.take(c.v.modifiers(), "the modifiers of a field")
	case KindVariableDescriptor:
		c.skipUTF()
		c.skipType()
	case KindAccessPath:
		c.take(5*c.count(5, "access locations"), "access locations")
	}
}

func (c *skipper) skipType() {
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
