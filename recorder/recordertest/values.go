package recordertest

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf16"

	"tracex/format"
	"tracex/recorder"
)

// The names that a program uses. The lower half of a number is 1 more than its id in the file.
// Everything is registered at each use, by all goroutines.

func (w *walker) class() recorder.Class {
	return w.r.Class(fmt.Sprintf("program.Class%d", w.rand.IntN(7)))
}

func (w *walker) location() recorder.Location {
	n := w.rand.IntN(9)
	if n == 0 {
		return 0
	}
	p := recorder.CodeLocation{File: fmt.Sprintf("file%d.go", n%3), Class: "program.Class0", Method: "run", Line: n}
	switch n {
	case 7:
		p.Path = w.r.Path(recorder.Local(w.variable()), recorder.Member(w.field()), recorder.Element(3))
	case 8:
		index := w.r.Path(recorder.Local(w.variable()))
		p.Path = w.r.Path(recorder.Member(w.field()), recorder.ElementBy(index))
	}
	return w.r.Location(p)
}

// loopLocation returns the location of a loop, which may have Loop set.
func (w *walker) loopLocation() recorder.Location {
	if n := w.rand.IntN(9); n > 3 {
		return w.r.Location(recorder.CodeLocation{File: "loops.go", Class: "program.Class0", Method: "run", Line: n, Loop: true})
	}
	return w.location()
}

func (w *walker) variable() recorder.Variable {
	return w.r.Variable(fmt.Sprintf("v%d", w.rand.IntN(7)), recorder.ObjectType("string"))
}

func (w *walker) field() recorder.Field {
	n := w.rand.IntN(7)
	return w.r.Field(w.r.Class("program.Class0"), fmt.Sprintf("f%d", n), recorder.FieldInfo{Static: n == 0})
}

// enter begins a call with up to five arguments.
func (w *walker) enter() {
	n := w.rand.IntN(6)
	types := make([]recorder.Type, n)
	m := w.r.Method(w.class(), fmt.Sprintf("method%d", n), recorder.Type{}, types...)
	at := w.location()
	receiver, want := recorder.Null(), format.Null()
	if w.rand.IntN(2) == 0 {
		receiver, want = w.object()
	}
	p := format.Point{Class: format.ClassCall, Location: int32(at) - 1, Ref: int32(m) - 1, Target: want}
	args := make([]recorder.Value, n)
	for i := range args {
		var want format.Value
		args[i], want = w.value()
		p.Args = append(p.Args, want)
	}
	w.t.Enter(m, at, receiver, args...)
	w.note(p)
}

// leaf records a leaf of any kind.
func (w *walker) leaf() {
	at := w.location()
	v, want := w.value()
	o, target := w.object()
	p := format.Point{Location: int32(at) - 1, Value: want}
	switch w.rand.IntN(8) {
	case 0:
		variable := w.variable()
		p.Class, p.Ref = format.ClassVariableRead, int32(variable)-1
		w.t.ReadVariable(variable, at, v)
	case 1:
		variable := w.variable()
		p.Class, p.Ref = format.ClassVariableWrite, int32(variable)-1
		w.t.WriteVariable(variable, at, v)
	case 2:
		field := w.field()
		p.Class, p.Ref, p.Target = format.ClassFieldRead, int32(field)-1, target
		w.t.ReadField(field, at, o, v)
	case 3:
		field := w.field()
		p.Class, p.Ref, p.Target = format.ClassFieldWrite, int32(field)-1, target
		w.t.WriteField(field, at, o, v)
	case 4:
		p.Class, p.Number, p.Target = format.ClassArrayRead, w.rand.Int32N(1000), target
		w.t.ReadElement(o, int(p.Number), at, v)
	case 5:
		p.Class, p.Number, p.Target = format.ClassArrayWrite, w.rand.Int32N(1000), target
		w.t.WriteElement(o, int(p.Number), at, v)
	case 6:
		p.Class = format.ClassThrow
		w.t.Throw(v, at)
	default:
		p.Class = format.ClassCatch
		w.t.Catch(v, at)
	}
	w.note(p)
}

// caught records that a panic was recovered.
func (w *walker) caught() {
	o, want := w.object()
	w.t.Catch(o, 0)
	w.note(format.Point{Class: format.ClassCatch, Location: -1, Value: want})
}

func (w *walker) object() (recorder.Value, format.Value) {
	c, id := w.class(), w.rand.Int32()
	return recorder.Object(c, id), format.Value{ClassID: int32(c) - 1, Bits: int64(id)}
}

// texts are strings of all sorts: short, long, odd.
var texts = []string{
	"", "a", "plain text", "fifty characters, which is just what is kept of it.", strings.Repeat("long ", 100), strings.Repeat("long 👍", 200),
	"\x00", "tab\tand\nnewline", "Straße 漢字 👍🏽", strings.Repeat("é", 60), strings.Repeat("👍", 30), "a" + strings.Repeat("👍", 30),
	strings.Repeat("x", 48) + "👍y", strings.Repeat("\x00", 55), "\xff\xfe not UTF-8 \xc0", strings.Repeat("\x80", 70),
}

// text returns a string and what the trace keeps of it.
func (w *walker) text() (s, kept string) {
	s = texts[w.rand.IntN(len(texts))]
	kept, missing := keep(s, w.program.MaxString)
	if missing > 0 {
		kept += "..."
	}
	return s, kept
}

// keep returns the first n characters of a text, as a trace has them, and how many bytes are missing.
func keep(s string, n int) (kept string, missing int) {
	units := 0
	for i, c := range s {
		if units += utf16.RuneLen(c); units > n { // no half of a character
			return kept, len(s) - i
		}
		kept += string(c) // bytes that are not UTF-8 are U+FFFD
	}
	return kept, 0
}

// value returns a value of any kind and what the trace keeps of it.
func (w *walker) value() (recorder.Value, format.Value) {
	bits := int64(w.rand.Uint64()) >> w.rand.IntN(64)
	s, kept := w.text()
	text := func(v recorder.Value, kind format.ValueKind) (recorder.Value, format.Value) {
		return v, format.Value{Kind: kind, Text: kept}
	}
	switch w.rand.IntN(22) {
	case 0:
		return recorder.Null(), format.Null()
	case 1:
		return recorder.Void(), format.Value{Kind: format.ValueVoid}
	case 2:
		return w.boolean(bits&1 == 1)
	case 3:
		return recorder.Int8(int8(bits)), format.Value{Kind: format.ValueByte, Bits: int64(int8(bits))}
	case 4:
		return recorder.Int16(int16(bits)), format.Value{Kind: format.ValueShort, Bits: int64(int16(bits))}
	case 5:
		return recorder.Int32(int32(bits)), format.Value{Kind: format.ValueInt, Bits: int64(int32(bits))}
	case 6:
		return recorder.Int64(bits), format.Value{Kind: format.ValueLong, Bits: bits}
	case 7:
		return recorder.Int(int(bits)), integer(int64(int(bits)))
	case 8:
		if bits < 0 {
			return recorder.Uint(uint64(bits)), format.Value{Kind: w.unquoted(format.ValueBigInteger), Text: fmt.Sprint(uint64(bits))}
		}
		return recorder.Uint(uint64(bits)), integer(bits)
	case 9:
		f := math.Float32frombits(uint32(bits))
		return recorder.Float32(f), format.Value{Kind: format.ValueFloat, Bits: int64(math.Float32bits(f))}
	case 10:
		return recorder.Float64(math.Float64frombits(uint64(bits))), format.Value{Kind: format.ValueDouble, Bits: bits}
	case 11:
		return recorder.Char(rune(bits & 0xffff)), format.Value{Kind: format.ValueChar, Bits: bits & 0xffff}
	case 12:
		return text(recorder.Raw(s), w.unquoted(format.ValueBigDecimal))
	case 13:
		if w.version().HasValue(format.ValueRawString) {
			return text(recorder.TypeName(s), format.ValueJavaClass)
		}
		return text(recorder.TypeName(s), format.ValueBigDecimal)
	case 14, 15:
		return w.object()
	case 16:
		return w.structure()
	case 17:
		return w.array()
	case 18:
		return w.failure(s)
	case 19:
		return w.silent()
	}
	return text(recorder.String(s), format.ValueString)
}

// unquoted returns the kind of a text without quotes; since version 27 that of a number.
func (w *walker) unquoted(number format.ValueKind) format.ValueKind {
	if raw := format.ValueRawString; w.version().HasValue(raw) {
		return raw
	}
	return number
}

// failure is an error with a text.
type failure string

func (f failure) Error() string { return string(f) }

// failure records an error with its text; since version 27 that is an exception with a message.
func (w *walker) failure(s string) (recorder.Value, format.Value) {
	kept, missing := keep(s, max(w.program.MaxString, 1024))
	if missing > 0 {
		kept += fmt.Sprint("…+", missing)
	}
	if !w.version().HasValue(format.ValueException) {
		return recorder.Error(failure(s)), format.Value{Kind: format.ValueRawString, Text: "recordertest.failure: " + kept}
	}
	return recorder.Error(failure(s)), format.Value{Kind: format.ValueException, ClassID: int32(w.r.ClassOf(failure(""))) - 1,
		Captured: &format.Captured{Message: &kept}}
}

// silent is an error whose text must not be asked for.
type silent struct{}

func (silent) Error() string { panic("asked for its text") }

func (w *walker) silent() (recorder.Value, format.Value) {
	want := format.Value{Kind: format.ValueException, ClassID: int32(w.r.ClassOf(silent{})) - 1}
	if !w.version().HasValue(want.Kind) {
		want.Kind = format.ValueObject
	}
	return w.r.Of(silent{}), want
}

// structure is a struct for Capture.
type structure struct {
	Number int
	text   string
	inner  struct{ On bool }
}

// structure captures a struct.
func (w *walker) structure() (recorder.Value, format.Value) {
	s, kept := w.text()
	x := structure{Number: w.rand.IntN(1e6), text: s}
	x.inner.On = w.rand.IntN(2) == 0
	_, on := w.boolean(x.inner.On)
	return w.r.Capture(x), format.Value{ClassID: int32(w.r.ClassOf(x)) - 1, Captured: &format.Captured{Fields: []format.CapturedField{
		{Name: "Number", Value: integer(int64(x.Number))},
		{Name: "text", Value: format.Value{Kind: format.ValueString, Text: kept}},
		{Name: "inner", Value: format.Value{ClassID: int32(w.r.ClassOf(x.inner)) - 1, Captured: &format.Captured{
			Fields: []format.CapturedField{{Name: "On", Value: on}}}}},
	}}}
}

// array captures an array; the trace keeps the first ten elements.
func (w *walker) array() (recorder.Value, format.Value) {
	var x [12]int8
	want := new(format.Captured)
	for i := range x {
		x[i] = int8(w.rand.IntN(256) - 128)
		if i < recorder.DefaultCaptureCount {
			want.Elements = append(want.Elements, format.Value{Kind: format.ValueByte, Bits: int64(x[i])})
		}
	}
	return w.r.Capture(x), format.Value{Kind: format.ValueArray, ClassID: int32(w.r.ClassOf(x)) - 1,
		Bits: format.ArrayBits(0, int32(len(x))), Captured: want}
}

func (w *walker) boolean(v bool) (recorder.Value, format.Value) {
	want := format.Value{Kind: format.ValueBoolean}
	if v {
		want.Bits = 1
	}
	return recorder.Bool(v), want
}

func integer(v int64) format.Value {
	if v >= math.MinInt32 && v <= math.MaxInt32 {
		return format.Value{Kind: format.ValueInt, Bits: v}
	}
	return format.Value{Kind: format.ValueLong, Bits: v}
}
