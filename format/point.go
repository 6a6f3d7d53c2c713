package format

import (
	"encoding/binary"
	"fmt"
)

// Point is a trace point: the whole of a leaf, the header of a container. One struct serves all
// classes, so that a decoder can reuse it. Which fields are meaningful depends on Class:
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
	Location int32 // code location id; -1 if unknown
	Thread   int32 // thread id, from 0
	Event    int32 // event id
	Ref      int32
	Number   int32
	Target   Value
	Value    Value
	Args     []Value
	Subtree  []DiffStatus // statuses that occur below a container, in a diff
	Marked   bool         // there is a Subtree; since version 27 it may be empty
	Snapshot *Snapshot
}

// Flags of a call. Other bits are preserved.
const (
	// FlagUnderWay is set in a call that was running when tracing began.
	FlagUnderWay int16 = 1
	// FlagSuper is set, since version 27, if a constructor calls another one of its object:
	// super(…) or this(…).
	FlagSuper int16 = 2
)

// Snapshot is the data that a live breakpoint recorded.
type Snapshot struct {
	UUID    [2]int64 // most significant half first; 0 in version 19
	Stack   []int32  // code location ids, innermost first
	Time    int64    // milliseconds since 1970
	Locals  []Value
	Watches []Value // since version 27: of the watched expressions
	TraceID *string // nil if none
}

// Append appends the point with its kind byte: of a container, the header.
//
//	class u8, code location i32, thread i32, event i32, diff i8, then
//	call             statuses, method i32, receiver, count i32, arguments, flags i16
//	array            array, index i32, value
//	variable         variable i32, value
//	field            field i32, object, value
//	loop             statuses, loop i32
//	iteration        statuses, loop i32, iteration i32
//	live breakpoint  uuid 2 × i64 (not in 19), n i32, n × location i32, time i64, m i32, m × value,
//	                 (since 27) w i32, w × value, bool, utf if true
//	throw, catch     exception
//	statuses         n u8 (since 27: i8, -1 for none at all), n × diff i8
//
// It fails with ErrVersionLacks if the version cannot encode p, and with ErrStringTooLong.
func (p *Point) Append(dst []byte, v Version) ([]byte, error) {
	if !p.Class.Valid() {
		return dst, corrupt(-1, "a class of trace point, 0 to 11", fmt.Sprint(uint8(p.Class)))
	}
	be := binary.BigEndian
	dst = append(dst, byte(KindTracePoint), v.ClassByte(p.Class))
	dst = be.AppendUint32(dst, uint32(p.Location))
	dst = be.AppendUint32(dst, uint32(p.Thread))
	dst = be.AppendUint32(dst, uint32(p.Event))
	dst = append(dst, byte(p.Diff))
	var err error
	switch p.Class {
	case ClassCall:
		return p.appendCall(dst, v)
	case ClassArrayRead, ClassArrayWrite:
		if dst, err = v.AppendValue(dst, &p.Target); err != nil {
			return dst, err
		}
		return v.AppendValue(be.AppendUint32(dst, uint32(p.Number)), &p.Value)
	case ClassVariableRead, ClassVariableWrite:
		return v.AppendValue(be.AppendUint32(dst, uint32(p.Ref)), &p.Value)
	case ClassFieldRead, ClassFieldWrite:
		if dst, err = v.AppendValue(be.AppendUint32(dst, uint32(p.Ref)), &p.Target); err != nil {
			return dst, err
		}
		return v.AppendValue(dst, &p.Value)
	case ClassLoop, ClassIteration:
		if dst, err = p.appendSubtree(dst, v); err != nil {
			return dst, err
		}
		dst = be.AppendUint32(dst, uint32(p.Ref))
		if p.Class == ClassIteration {
			dst = be.AppendUint32(dst, uint32(p.Number))
		}
		return dst, nil
	case ClassSnapshot:
		return p.Snapshot.append(dst, v)
	}
	return v.AppendValue(dst, &p.Value) // throw, catch
}

func (p *Point) appendCall(dst []byte, v Version) ([]byte, error) {
	be := binary.BigEndian
	dst, err := p.appendSubtree(dst, v)
	if err != nil {
		return dst, err
	}
	if dst, err = v.AppendValue(be.AppendUint32(dst, uint32(p.Ref)), &p.Target); err != nil {
		return dst, err
	}
	if dst, err = v.appendValues(dst, p.Args, 0); err != nil {
		return dst, err
	}
	return be.AppendUint16(dst, uint16(p.Flags)), nil
}

func (p *Point) appendSubtree(dst []byte, v Version) ([]byte, error) {
	most := 255
	if v >= V27 {
		most = 127
		if !p.Marked && len(p.Subtree) == 0 {
			return append(dst, 0xff), nil // -1
		}
	}
	if len(p.Subtree) > most {
		return dst, corrupt(-1, fmt.Sprintf("at most %d diff statuses", most), fmt.Sprint(len(p.Subtree)))
	}
	dst = append(dst, byte(len(p.Subtree)))
	for _, d := range p.Subtree {
		dst = append(dst, byte(d))
	}
	return dst, nil
}

func (s *Snapshot) append(dst []byte, v Version) ([]byte, error) {
	be := binary.BigEndian
	if v > V19 {
		dst = be.AppendUint64(be.AppendUint64(dst, uint64(s.UUID[0])), uint64(s.UUID[1]))
	}
	dst = appendInts(dst, s.Stack)
	dst = be.AppendUint64(dst, uint64(s.Time))
	dst, err := v.appendValues(dst, s.Locals, 0)
	switch {
	case err != nil:
		return dst, err
	case v >= V27:
		if dst, err = v.appendValues(dst, s.Watches, 0); err != nil {
			return dst, err
		}
	case len(s.Watches) > 0:
		return dst, v.lacks("watches of a live breakpoint")
	}
	return appendOptional(dst, s.TraceID)
}

// DecodePoint decodes the TRACEPOINT at the start of b into p, and reuses p's slices. n is its
// size in bytes. Nothing in p aliases b.
func (v Version) DecodePoint(b []byte, p *Point) (n int, err error) {
	c := decoder{reader{b: b, v: v}}
	args, subtree := p.Args[:0], p.Subtree[:0]
	*p = Point{Args: args, Subtree: subtree}
	c.pointHead(p)
	c.pointBody(p)
	return c.i, c.error()
}

// pointHead reads the fields that all points begin with.
func (c *decoder) pointHead(p *Point) {
	if len(c.b) > 0 && Kind(c.b[0]) != KindTracePoint {
		c.fail(0, KindTracePoint.String(), Kind(c.b[0]).String())
	}
	b := c.take(PointHeadSize, "a trace point")
	if b == nil {
		return
	}
	class, ok := c.v.PointClass(b[PointClassAt])
	p.Class, p.Diff = class, DiffStatus(b[PointDiffAt])
	p.Location, p.Thread, p.Event = LocationOf(b), ThreadOf(b), EventOf(b)
	switch {
	case !ok:
		c.fail(PointClassAt, "a class of trace point, 0 to 11", fmt.Sprint(b[1]))
	case !p.Diff.Valid():
		c.fail(PointDiffAt, "a diff status, -1 to 4", fmt.Sprint(int8(p.Diff)))
	}
}

func (c *decoder) pointBody(p *Point) {
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
	}
}

func (c *decoder) call(p *Point) {
	if c.i < len(c.b) && c.b[c.i] == c.v.noStatuses() {
		c.i++
	} else {
		c.subtree(p)
	}
	p.Ref = c.i32()
	c.value(&p.Target, 0)
	n := c.count(c.v.leastValue(), "arguments")
	if !c.listed(int64(n)) {
		return
	}
	for ; n > 0 && c.err == nil; n-- {
		if k := len(p.Args); k < cap(p.Args) {
			p.Args = p.Args[:k+1] // overwritten below
		} else {
			p.Args = append(p.Args, Value{})
		}
		c.value(&p.Args[len(p.Args)-1], 0)
	}
	p.Flags = int16(c.u16())
}

func (c *reader) subtreeCount() (n int, marked bool) {
	if c.v >= V27 {
		return c.subtreeCount27()
	}
	return c.subtreeCount22()
}

func (c *decoder) subtree(p *Point) {
	var n int
	n, p.Marked = c.subtreeCount()
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

func (c *decoder) snapshot() *Snapshot {
	s := new(Snapshot)
	if c.v > V19 {
		s.UUID = [2]int64{c.i64(), c.i64()}
	}
	s.Stack = c.ints(4, "code locations")
	s.Time = c.i64()
	s.Locals = c.elements(int64(c.count(c.v.leastValue(), "values")), "values", 0)
	if c.v >= V27 {
		s.Watches = c.elements(int64(c.count(1, "watches")), "watches", 0)
	}
	s.TraceID = c.optional()
	return s
}

// Footer is the content of a container's footer. The zero Footer is that of an iteration.
type Footer struct {
	Result     Value  // of a call
	Exception  string // of a call: class name of what it threw
	Threw      bool   // it threw: set if Exception is, and may be set without a name since version 27
	Iterations int32  // of a loop
}

// Unfinished returns the footer of a container that was open when the recording ended. The
// caller must count the iterations of a loop.
func Unfinished(class Class) Footer {
	if class != ClassCall {
		return Footer{}
	}
	return Footer{Result: Value{Kind: ValueUnfinished}}
}

// Untracked reports whether nothing is known of how the call ended.
func (f *Footer) Untracked() bool { return f.Result.Kind == ValueUntracked && !f.threw() }

// Partial reports whether a call began before it was recorded, or nothing is known of its end: it took at least the
// time that it has.
func Partial(p *Point, f *Footer) bool {
	return p.Class == ClassCall && (p.Flags&FlagUnderWay != 0 || f.Untracked())
}

func (f *Footer) threw() bool { return f.Threw || f.Exception != "" }

// Append appends the footer of a container of this class, with its kind byte.
//
//	call       result value, exception class name utf (since 27: bool, utf if true)
//	loop       iterations i32
//	iteration  nothing
func (f *Footer) Append(dst []byte, v Version, class Class) ([]byte, error) {
	dst = append(dst, byte(KindFooter))
	switch class {
	case ClassCall:
		if v >= V27 {
			return appendFooter27(dst, f)
		}
		return v.appendFooter22(dst, f)
	case ClassLoop:
		return binary.BigEndian.AppendUint32(dst, uint32(f.Iterations)), nil
	case ClassIteration:
		return dst, nil
	}
	return dst, corrupt(-1, "a container", class.String())
}

// DecodeFooter decodes the TRACEPOINT_FOOTER at the start of b, of a container of this class. n
// is its size in bytes. Nothing in f aliases b.
func (v Version) DecodeFooter(b []byte, class Class, f *Footer) (n int, err error) {
	c := decoder{reader{b: b, v: v}}
	if k := Kind(c.u8()); k != KindFooter && c.err == nil {
		c.fail(0, KindFooter.String(), k.String())
	}
	*f = Footer{}
	switch class {
	case ClassCall:
		if v >= V27 {
			c.footer27(f)
		} else {
			c.footer22(f)
		}
	case ClassLoop:
		f.Iterations = c.i32()
	}
	return c.i, c.error()
}

// AppendCall appends the header of a call without receiver, diff statuses and flags, like
// [Point.Append]. It is for writers that have the count argument values in encoded form.
func (v Version) AppendCall(dst []byte, location, thread, event, method int32, count int, values []byte) []byte {
	be := binary.BigEndian
	at := len(dst)
	dst = append(dst, make([]byte, CallMethodAt)...)
	PutPointHead(dst[at:], v.ClassByte(ClassCall), location, thread, event, v.noStatuses())
	dst = be.AppendUint32(dst, uint32(method))
	noReceiver := Null()
	dst, _ = v.AppendValue(dst, &noReceiver) // cannot fail
	dst = be.AppendUint32(dst, uint32(count))
	dst = append(dst, values...)
	return append(dst, 0, 0)
}
