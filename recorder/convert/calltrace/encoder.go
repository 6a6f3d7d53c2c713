package calltrace

import (
	"tracex/format"
	"tracex/recorder/convert/fit"
)

// Limits of one event: a reader has it in memory at once.
const (
	maxArgs  = 1 << 10
	maxPoint = 1 << 20 // bytes
	// maxValueDepth bounds values within values.
	maxValueDepth = 64
)

// Why the Writer itself leaves something out.
var (
	longText   = fit.Why("text cut to 65,535 bytes", "texts cut to 65,535 bytes")
	largeValue = fit.Why("value too large or nested too deeply", "values too large or nested too deeply")
	manyArgs   = fit.Why("argument beyond the first 1,024 of a call", "arguments beyond the first 1,024 of a call")
)

// Call is a call that begins.
type Call struct {
	Method   Method
	Place    Place
	Receiver *format.Value // nil: none
	Args     []format.Value
}

// End is how a call ended. The zero End is that of a call that returned nothing.
type End struct {
	Result *format.Value // nil: void
	// Threw is the class of the exception that it ended by; "" if it returned.
	Threw string
	// Unknown means that its end was not recorded: it lasted until the moment given.
	Unknown bool
}

// encoder encodes points and footers. What the format cannot hold is mended and counted: encoding
// cannot fail.
type encoder struct {
	version format.Version
	left    *fit.Tally
	point   format.Point   // scratch
	args    []format.Value // scratch
	one     []byte         // scratch
}

// call appends the header of a call.
func (e *encoder) call(dst []byte, thread, event int32, c *Call) []byte {
	p := &e.point
	*p = format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: int32(c.Place) - 1,
		Thread: thread, Event: event, Ref: int32(c.Method), Target: format.Null()}
	if c.Receiver != nil {
		p.Target = *c.Receiver
		if e.strange(c.Receiver, 0) {
			p.Target = e.mended(c.Receiver, 0)
		}
	}
	p.Args = c.Args
	if len(p.Args) > maxArgs {
		for range p.Args[maxArgs:] {
			e.left.Count(manyArgs, 1, -1)
		}
		p.Args = p.Args[:maxArgs]
	}
	for i := range p.Args {
		if e.strange(&p.Args[i], 0) {
			p.Args = e.mendedList(p.Args)
			break
		}
	}
	at := len(dst)
	dst, err := p.Append(dst, e.version)
	if err != nil || len(dst)-at > maxPoint {
		e.shrink(p)
		dst, _ = p.Append(dst[:at], e.version) // cannot fail any more
	}
	*p = format.Point{}
	return dst
}

// mendedList returns values that can be written, in memory that the next call uses again.
func (e *encoder) mendedList(list []format.Value) []format.Value {
	e.args = append(e.args[:0], list...)
	for i := range e.args {
		if v := &e.args[i]; e.strange(v, 0) {
			*v = e.mended(v, 0)
		}
	}
	return e.args
}

// shrink replaces the values of a call that cannot be written, or that take too much room together.
func (e *encoder) shrink(p *format.Point) {
	room := maxPoint / 2
	p.Target = e.within(&p.Target, &room)
	e.args = append(e.args[:0], p.Args...)
	for i := range e.args {
		e.args[i] = e.within(&e.args[i], &room)
	}
	p.Args = e.args
}

// within returns a value if it can be written and there is room for it, else a mark.
func (e *encoder) within(v *format.Value, room *int) format.Value {
	var err error
	if e.one, err = e.version.AppendValue(e.one[:0], v); err != nil || len(e.one) > *room {
		e.left.Count(largeValue, 1, -1)
		return e.mark()
	}
	*room -= len(e.one)
	return *v
}

// mark stands for a value that was left out.
func (e *encoder) mark() format.Value {
	v := Unquoted("…")
	fit.Unquoted(&v, e.version)
	return v
}

// fitting returns a single value that can be written. scratch is where it may be copied to.
func (e *encoder) fitting(v, scratch *format.Value) *format.Value {
	if v.Captured == nil && !e.strange(v, 0) {
		return v
	}
	*scratch = *v
	if e.strange(v, 0) {
		*scratch = e.mended(v, 0)
	}
	room := maxPoint
	*scratch = e.within(scratch, &room)
	return scratch
}

// footer appends the footer of a call.
func (e *encoder) footer(dst []byte, end *End) []byte {
	var scratch format.Value
	f := format.Footer{Result: format.Value{Kind: format.ValueVoid}}
	switch {
	case end.Threw != "":
		f.Threw = true
		f.Exception, _ = fit.Text(end.Threw)
	case end.Unknown:
		f = format.Unfinished(format.ClassCall)
	case end.Result != nil:
		f.Result = *e.fitting(end.Result, &scratch)
	}
	dst, _ = f.Append(dst, e.version, format.ClassCall) // cannot fail: all is fitting
	return dst
}

// leaf appends a point with one value: of a variable ref, or thrown.
func (e *encoder) leaf(dst []byte, class format.Class, thread, event, ref int32, v *format.Value) []byte {
	p := &e.point
	var scratch format.Value
	*p = format.Point{Class: class, Diff: format.DiffNone, Location: none, Thread: thread, Event: event, Ref: ref,
		Value: *e.fitting(v, &scratch)}
	dst, _ = p.Append(dst, e.version) // cannot fail: all is fitting
	*p = format.Point{}
	return dst
}

// constants are parts of the trace that do not change.
type constants struct {
	callHead         [format.CallMethodAt]byte
	void, unfinished []byte // footers
}

func (e *encoder) constants() (c constants) {
	copy(c.callHead[:], e.call(nil, 0, 0, &Call{}))
	c.void, c.unfinished = e.footer(nil, &End{}), e.footer(nil, &End{Unknown: true})
	return c
}

// foreign says what becomes of a value if the version lacks its kind.
var foreign = map[format.ValueKind]format.ValueKind{
	format.ValueException: format.ValueObject, format.ValueSequence: format.ValueString, format.ValueEnum: format.ValueRawString,
	format.ValueBigInteger: format.ValueRawString, format.ValueBigDecimal: format.ValueRawString, format.ValueBuilder: format.ValueString,
}

// strange reports whether a value may need to be mended before it can be written; depth is the number
// of values around it.
func (e *encoder) strange(v *format.Value, depth int) bool {
	switch v.Kind {
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong, format.ValueFloat, format.ValueDouble,
		format.ValueChar, format.ValueBoolean, format.ValueNull, format.ValueVoid, format.ValueUnit,
		format.ValueUnfinished, format.ValueUntracked:
		return false
	case format.ValueString, format.ValueJavaClass, format.ValueKotlinClass:
		return len(v.Text) > fit.SurelyFits
	case format.ValueObject, format.ValueArray:
		return v.ClassID < 0 || v.Captured != nil && e.strangeInside(v.Captured, depth)
	case format.ValueBigInteger, format.ValueBigDecimal:
		return !e.version.HasValue(v.Kind) || len(v.Text) > fit.SurelyFits
	}
	return true
}

// strangeInside is strange for what is captured in a value at a depth.
func (e *encoder) strangeInside(in *format.Captured, depth int) bool {
	if depth >= maxValueDepth || in.Message != nil || len(in.Frames) > 0 {
		return true
	}
	for i := range in.Fields {
		f := &in.Fields[i]
		if len(f.Name) > fit.SurelyFits || e.strange(&f.Value, depth+1) {
			return true
		}
	}
	for i := range in.Elements {
		if e.strange(&in.Elements[i], depth+1) {
			return true
		}
	}
	return false
}

// mended returns a value that can be written; depth is the number of values around it. It does not
// change v, nor what v refers to.
func (e *encoder) mended(v *format.Value, depth int) format.Value {
	m := *v
	if kind, ok := foreign[m.Kind]; ok && !e.version.HasValue(m.Kind) {
		if m.Kind == format.ValueEnum {
			m.ClassID, m.Absent = 0, false
		}
		m.Kind = kind
	}
	fit.Unquoted(&m, e.version)
	m.Text = e.text(m.Text)
	m.ClassID = max(m.ClassID, 0)
	if m.Captured != nil {
		if depth >= maxValueDepth {
			e.left.Count(largeValue, 1, -1)
			return e.mark()
		}
		m.Captured = e.contents(m.Captured, m.Kind, depth)
	}
	return m
}

func (e *encoder) text(s string) string {
	text, cut := fit.Text(s)
	if cut {
		e.left.Count(longText, 1, -1)
	}
	return text
}

// contents returns what is captured in a value of a kind, mended.
func (e *encoder) contents(in *format.Captured, kind format.ValueKind, depth int) *format.Captured {
	out := &format.Captured{}
	switch kind {
	case format.ValueException:
		if in.Message != nil {
			text := e.text(*in.Message)
			out.Message = &text
		}
		for _, frame := range in.Frames[:min(len(in.Frames), maxArgs)] {
			out.Frames = append(out.Frames, e.text(frame))
		}
	case format.ValueArray:
		out.Elements = make([]format.Value, len(in.Elements))
		for i := range in.Elements {
			out.Elements[i] = e.inner(&in.Elements[i], depth)
		}
	default:
		out.Fields = make([]format.CapturedField, 0, len(in.Fields)+1)
		for i := range in.Fields {
			f := &in.Fields[i]
			out.Fields = append(out.Fields, format.CapturedField{Name: e.text(f.Name), Value: e.inner(&f.Value, depth)})
		}
		if in.Message != nil { // of an exception, in a version where it is an object
			out.Fields = append(out.Fields, format.CapturedField{Name: "message", Value: String(e.text(*in.Message))})
		}
	}
	return out
}

// inner returns a value within another one, mended.
func (e *encoder) inner(v *format.Value, depth int) format.Value {
	if e.strange(v, depth+1) {
		return e.mended(v, depth+1)
	}
	return *v
}
