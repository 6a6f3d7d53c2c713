package format

import (
	"encoding/binary"
	"fmt"
)

// Point is a trace point: the whole of a leaf, the header of a container. One
// struct serves all classes, so that a decoder can fill the same one again and
// again; which fields mean something depends on Class:
//
//	call             Subtree, Ref: method id, Target: receiver, Args, Flags
//	array            Target: the array, Number: index, Value
//	variable         Ref: variable id, Value
//	field            Ref: field id, Target: the object, Value
//	loop             Subtree, Ref: loop id
//	iteration        Subtree, Ref: loop id, Number: iteration, from 0
//	live breakpoint  Snapshot
//	throw, catch     Value: the exception
type Point struct {
	Class    Class
	Diff     DiffStatus
	Flags    int16 // of a call: see FlagUnderWay
	Location int32 // code location id; -1: unknown
	Thread   int32 // thread id, from 0
	Event    int32 // event id
	Ref      int32
	Number   int32
	Target   Value
	Value    Value
	Args     []Value
	Subtree  []DiffStatus // what occurs below a container, in a diff
	Snapshot *Snapshot
}

// FlagUnderWay is set in a call that was under way when tracing began.
const FlagUnderWay int16 = 1

// Snapshot is what a live breakpoint recorded.
type Snapshot struct {
	UUID    [2]int64 // most significant half first
	Stack   []int32  // code location ids, innermost first
	Time    int64    // milliseconds since 1970
	Locals  []Value
	TraceID *string // nil: none
}

// pointHead is the size in bytes of what all points begin with: kind, class,
// code location, thread, event, diff status.
const pointHead = 1 + 1 + 4 + 4 + 4 + 1

// Append appends the point with its kind byte: of a container, the header.
//
//	class u8, code location i32, thread i32, event i32, diff i8, then
//	call             n u8, n × diff i8, method i32, receiver, count i32, arguments, flags i16
//	array            array, index i32, value
//	variable         variable i32, value
//	field            field i32, object, value
//	loop             n u8, n × diff i8, loop i32
//	iteration        n u8, n × diff i8, loop i32, iteration i32
//	live breakpoint  uuid 2 × i64, n i32, n × location i32, time i64, m i32, m × value, bool, utf if true
//	throw, catch     exception
func (p *Point) Append(dst []byte) ([]byte, error) {
	be := binary.BigEndian
	dst = append(dst, byte(KindTracePoint), byte(p.Class))
	dst = be.AppendUint32(dst, uint32(p.Location))
	dst = be.AppendUint32(dst, uint32(p.Thread))
	dst = be.AppendUint32(dst, uint32(p.Event))
	dst = append(dst, byte(p.Diff))
	var err error
	switch p.Class {
	case ClassCall:
		return p.appendCall(dst)
	case ClassArrayRead, ClassArrayWrite:
		if dst, err = AppendValue(dst, &p.Target); err != nil {
			return dst, err
		}
		return AppendValue(be.AppendUint32(dst, uint32(p.Number)), &p.Value)
	case ClassVariableRead, ClassVariableWrite:
		return AppendValue(be.AppendUint32(dst, uint32(p.Ref)), &p.Value)
	case ClassFieldRead, ClassFieldWrite:
		if dst, err = AppendValue(be.AppendUint32(dst, uint32(p.Ref)), &p.Target); err != nil {
			return dst, err
		}
		return AppendValue(dst, &p.Value)
	case ClassLoop, ClassIteration:
		if dst, err = p.appendSubtree(dst); err != nil {
			return dst, err
		}
		dst = be.AppendUint32(dst, uint32(p.Ref))
		if p.Class == ClassIteration {
			dst = be.AppendUint32(dst, uint32(p.Number))
		}
		return dst, nil
	case ClassSnapshot:
		return p.Snapshot.append(dst)
	case ClassThrow, ClassCatch:
		return AppendValue(dst, &p.Value)
	}
	return dst, corrupt(-1, "a class of trace point, 0 to 11", fmt.Sprint(uint8(p.Class)))
}

func (p *Point) appendCall(dst []byte) ([]byte, error) {
	be := binary.BigEndian
	dst, err := p.appendSubtree(dst)
	if err != nil {
		return dst, err
	}
	if dst, err = AppendValue(be.AppendUint32(dst, uint32(p.Ref)), &p.Target); err != nil {
		return dst, err
	}
	dst = be.AppendUint32(dst, uint32(len(p.Args)))
	for i := range p.Args {
		if dst, err = AppendValue(dst, &p.Args[i]); err != nil {
			return dst, err
		}
	}
	return be.AppendUint16(dst, uint16(p.Flags)), nil
}

func (p *Point) appendSubtree(dst []byte) ([]byte, error) {
	if len(p.Subtree) > 255 {
		return dst, corrupt(-1, "at most 255 diff statuses", fmt.Sprint(len(p.Subtree)))
	}
	dst = append(dst, byte(len(p.Subtree)))
	for _, d := range p.Subtree {
		dst = append(dst, byte(d))
	}
	return dst, nil
}

func (s *Snapshot) append(dst []byte) ([]byte, error) {
	be := binary.BigEndian
	dst = be.AppendUint64(be.AppendUint64(dst, uint64(s.UUID[0])), uint64(s.UUID[1]))
	dst = appendInts(dst, s.Stack)
	dst = be.AppendUint64(dst, uint64(s.Time))
	dst = be.AppendUint32(dst, uint32(len(s.Locals)))
	var err error
	for i := range s.Locals {
		if dst, err = AppendValue(dst, &s.Locals[i]); err != nil {
			return dst, err
		}
	}
	if s.TraceID == nil {
		return append(dst, 0), nil
	}
	return AppendUTF(append(dst, 1), *s.TraceID)
}

// DecodePoint reads the TRACEPOINT at the start of b into p, using p's slices
// again. n is its size in bytes. Nothing of p aliases b.
func DecodePoint(b []byte, p *Point) (n int, err error) {
	c := cursor{b: b}
	if k := Kind(c.u8()); k != KindTracePoint && c.err == nil {
		c.fail(0, KindTracePoint.String(), k.String())
	}
	args, subtree := p.Args[:0], p.Subtree[:0]
	*p = Point{
		Class: Class(c.u8()), Location: c.i32(), Thread: c.i32(), Event: c.i32(),
		Diff: DiffStatus(c.u8()), Args: args, Subtree: subtree,
	}
	if !p.Diff.Valid() && c.err == nil {
		c.fail(pointHead-1, "a diff status, -1 to 4", fmt.Sprint(int8(p.Diff)))
	}
	c.pointBody(p)
	return c.i, c.error()
}

func (c *cursor) pointBody(p *Point) {
	switch p.Class {
	case ClassCall:
		c.call(p)
	case ClassArrayRead, ClassArrayWrite:
		c.value(&p.Target, 0)
		p.Number = c.i32()
		c.value(&p.Value, 0)
	case ClassVariableRead, ClassVariableWrite:
		p.Ref = c.i32()
		c.value(&p.Value, 0)
	case ClassFieldRead, ClassFieldWrite:
		p.Ref = c.i32()
		c.value(&p.Target, 0)
		c.value(&p.Value, 0)
	case ClassLoop:
		c.subtree(p)
		p.Ref = c.i32()
	case ClassIteration:
		c.subtree(p)
		p.Ref = c.i32()
		p.Number = c.i32()
	case ClassSnapshot:
		p.Snapshot = c.snapshot()
	case ClassThrow, ClassCatch:
		c.value(&p.Value, 0)
	default:
		c.fail(1, "a class of trace point, 0 to 11", fmt.Sprint(uint8(p.Class)))
	}
}

func (c *cursor) call(p *Point) {
	c.subtree(p)
	p.Ref = c.i32()
	c.value(&p.Target, 0)
	for n := c.count(4, "arguments"); n > 0 && c.err == nil; n-- {
		p.Args = append(p.Args, Value{})
		c.value(&p.Args[len(p.Args)-1], 0)
	}
	p.Flags = int16(c.u16())
}

func (c *cursor) subtree(p *Point) {
	n := int(c.u8())
	at := c.i
	for i, b := range c.take(n, "diff statuses") {
		d := DiffStatus(b)
		if !d.Valid() {
			c.fail(at+i, "a diff status, -1 to 4", fmt.Sprint(int8(d)))
			return
		}
		p.Subtree = append(p.Subtree, d)
	}
}

func (c *cursor) snapshot() *Snapshot {
	s := &Snapshot{UUID: [2]int64{c.i64(), c.i64()}}
	s.Stack = c.ints(4, "code locations")
	s.Time = c.i64()
	for n := c.count(4, "values"); n > 0 && c.err == nil; n-- {
		s.Locals = append(s.Locals, Value{})
		c.value(&s.Locals[len(s.Locals)-1], 0)
	}
	if c.bool() {
		id := c.utf()
		s.TraceID = &id
	}
	return s
}

// Footer is what a container's footer says. The zero Footer is that of an
// iteration.
type Footer struct {
	Result     Value  // of a call
	Exception  string // of a call: class name of what it threw; "" if nothing
	Iterations int32  // of a loop
}

// Unfinished is the footer of a container that the recording ends within. The
// iterations of a loop must be counted.
func Unfinished(class Class) Footer {
	if class != ClassCall {
		return Footer{}
	}
	return Footer{Result: Value{Kind: ValueString, Text: UnfinishedMethod}}
}

// Append appends the footer of a container of this class, with its kind byte.
//
//	call       result value, exception class name utf
//	loop       iterations i32
//	iteration  nothing
func (f *Footer) Append(dst []byte, class Class) ([]byte, error) {
	dst = append(dst, byte(KindFooter))
	switch class {
	case ClassCall:
		dst, err := AppendValue(dst, &f.Result)
		if err != nil {
			return dst, err
		}
		return AppendUTF(dst, f.Exception)
	case ClassLoop:
		return binary.BigEndian.AppendUint32(dst, uint32(f.Iterations)), nil
	case ClassIteration:
		return dst, nil
	}
	return dst, corrupt(-1, "a container", class.String())
}

// DecodeFooter reads the TRACEPOINT_FOOTER at the start of b, of a container of
// this class. n is its size in bytes. Nothing of f aliases b.
func DecodeFooter(b []byte, class Class, f *Footer) (n int, err error) {
	c := cursor{b: b}
	if k := Kind(c.u8()); k != KindFooter && c.err == nil {
		c.fail(0, KindFooter.String(), k.String())
	}
	*f = Footer{}
	switch class {
	case ClassCall:
		c.value(&f.Result, 0)
		f.Exception = c.utf()
	case ClassLoop:
		f.Iterations = c.i32()
	}
	return c.i, c.error()
}
