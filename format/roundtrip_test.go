package format_test

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// appender is implemented by all objects.
type appender interface {
	Append(dst []byte, v format.Version) ([]byte, error)
}

// versions are those that can be written.
var versions = []format.Version{format.V22, format.V27}

// footerOf is a footer with the class of its container.
type footerOf struct {
	format.Footer
	class format.Class
}

func (f *footerOf) Append(dst []byte, v format.Version) ([]byte, error) {
	return f.Footer.Append(dst, v, f.class)
}

// decodeObject reads the object at the start of b and returns it with its size.
func decodeObject(version format.Version, b []byte, open format.Class) (v appender, n int, err error) {
	switch k := format.Kind(b[0]); {
	case k == format.KindTracePoint:
		p := new(format.Point)
		n, err = version.DecodePoint(b, p)
		return p, n, err
	case k == format.KindFooter:
		f := &footerOf{class: open}
		n, err = version.DecodeFooter(b, open, &f.Footer)
		return f, n, err
	default:
		ctx := format.NewContext(version)
		id, n, err := ctx.Add(b)
		if err != nil {
			return nil, n, err
		}
		return formattest.ReferenceOf(ctx, k, id), n, nil
	}
}

// recordedTraces returns the data of each recorded trace, packed ones included; with the race detector only of those of
// at most half a MiB.
func recordedTraces(t testing.TB) map[string][]byte {
	t.Helper()
	traces := make(map[string][]byte)
	for _, name := range formattest.RecordedNames(t, ".bin") {
		traces[name] = formattest.Recorded(t, name)
	}
	for _, name := range formattest.RecordedNames(t, ".packedtrace") {
		traces[name] = entry(t, openPacked(t, formattest.Recorded(t, name)), format.EntryData)
	}
	maps.DeleteFunc(traces, func(_ string, data []byte) bool { return formattest.Race && len(data) > 512<<10 })
	return traces
}

// Each object of each recorded trace: encoding the decoded object yields the same bytes, Size
// and the decoder agree on where it ends, and both report every shorter part as cut short.
func TestRecordedObjects(t *testing.T) {
	for name, data := range recordedTraces(t) {
		t.Run(name, func(t *testing.T) {
			s := format.NewBytesScanner(data)
			seen := make(map[string]bool) // similar objects are tried in parts only once
			for s.Next() {
				o := s.Object()
				if k := o.Kind; k == format.KindBlockStart || k == format.KindBlockEnd || k == format.KindEOF {
					continue
				}
				v, n, err := decodeObject(s.Version(), o.Bytes, o.Class)
				if err != nil || n != len(o.Bytes) {
					t.Fatalf("%v at %d: %d bytes of %d, %v", o.Kind, o.Offset, n, len(o.Bytes), err)
				}
				if b, err := v.Append(nil, s.Version()); err != nil || !bytes.Equal(b, o.Bytes) {
					t.Fatalf("%v at %d: wrote %x, %v, want %x", o.Kind, o.Offset, b, err, o.Bytes)
				}
				// The bytes that follow must not matter, even if they look like more of the object.
				padded := append(bytes.Clone(o.Bytes), 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff)
				if n, err := s.Version().Size(padded, o.Class); err != nil || n != len(o.Bytes) {
					t.Fatalf("%v at %d: size %d, %v, want %d", o.Kind, o.Offset, n, err, len(o.Bytes))
				}
				if key := string(append([]byte{byte(o.Class), byte(len(o.Bytes) / 8)}, o.Bytes[:min(2, len(o.Bytes))]...)); !seen[key] {
					seen[key] = true
					pieces(t, s.Version(), o)
				}
			}
			if err := s.Err(); (err != nil) != (strings.HasPrefix(name, "crash.") || strings.HasPrefix(name, "net.")) {
				t.Error(err)
			}
		})
	}
}

func pieces(t *testing.T, v format.Version, o format.Object) {
	t.Helper()
	for cut := range len(o.Bytes) {
		if n, err := v.Size(o.Bytes[:cut], o.Class); !errors.Is(err, format.ErrTruncated) {
			t.Fatalf("%v at %d, cut to %d bytes: size %d, %v", o.Kind, o.Offset, cut, n, err)
		}
		if cut == 0 {
			continue
		}
		if _, n, err := decodeObject(v, o.Bytes[:cut:cut], o.Class); !errors.Is(err, format.ErrTruncated) {
			t.Fatalf("%v at %d, cut to %d bytes: decoded %d, %v", o.Kind, o.Offset, cut, n, err)
		}
	}
}

// someValues returns values of all kinds of a version, at their limits.
func someValues(version format.Version) []format.Value {
	obj := func(c *format.Captured) format.Value {
		return format.Value{ClassID: math.MaxInt32, Bits: math.MinInt32, Captured: c}
	}
	list := []format.Value{{Kind: format.ValueNull}, {Kind: format.ValueVoid}, {Kind: format.ValueUnit}, {}, obj(nil)}
	for kind, bits := range map[format.ValueKind][]int64{
		format.ValueByte: {math.MinInt8, -1, 0, math.MaxInt8}, format.ValueShort: {math.MinInt16, -1, math.MaxInt16},
		format.ValueInt: {math.MinInt32, -1, math.MaxInt32}, format.ValueLong: {math.MinInt64, -1, math.MaxInt64},
		format.ValueFloat:  {0, int64(math.Float32bits(float32(math.Inf(-1)))), 0x7fc00001, 0xffffffff}, // NaN with its payload
		format.ValueDouble: {0, int64(math.Float64bits(math.Pi)), 0x7ff8000000000001, -1}, format.ValueChar: {0, 'a', 0xd800, 0xffff},
		format.ValueBoolean: {0, 1},
	} {
		for _, b := range bits {
			list = append(list, format.Value{Kind: kind, Bits: b})
		}
	}
	texts := []format.ValueKind{format.ValueString, format.ValueJavaClass, format.ValueKotlinClass, format.ValueRawString, format.ValueBuilder}
	if version >= format.V27 {
		texts = append(texts[:3], format.ValueBigInteger, format.ValueBigDecimal, format.ValueSequence, format.ValueEnum)
		list = append(list, newValues()...)
	}
	for _, kind := range texts {
		for _, text := range []string{"", "a", "\x00é漢👍\xed\xa0\x80", strings.Repeat("x", 0xffff)} {
			v := format.Value{Kind: kind, Text: text}
			if kind == format.ValueBuilder || kind == format.ValueSequence {
				v.Bits = math.MinInt32
			}
			if kind == format.ValueSequence || kind == format.ValueEnum {
				v.ClassID = 7
			}
			list = append(list, v)
		}
	}
	array := func(length int32, c *format.Captured) format.Value {
		return format.Value{Kind: format.ValueArray, ClassID: math.MaxInt32, Bits: format.ArrayBits(math.MinInt32, length), Captured: c}
	}
	inner := array(5, &format.Captured{Elements: []format.Value{{Kind: format.ValueNull}}})
	return append(list, inner, array(0, nil), array(-1, nil),
		obj(&format.Captured{Fields: []format.CapturedField{{Name: "", Value: inner}, {Name: "b", Value: format.Value{Kind: format.ValueInt, Bits: 7}}}}))
}

// newValues returns values that version 27 has and 22 does not.
func newValues() []format.Value {
	text := "a\x00é"
	return []format.Value{
		{Kind: format.ValueEnum, ClassID: 3, Absent: true}, {Kind: format.ValueUnfinished}, {Kind: format.ValueUntracked},
		{Kind: format.ValueObject, ClassID: -1}, {Kind: format.ValueObject, Captured: new(format.Captured)},
		{Kind: format.ValueArray, Bits: format.ArrayBits(-1, 2), Captured: new(format.Captured)},
		{Kind: format.ValueException, ClassID: 4, Bits: -5}, {Kind: format.ValueException, Captured: new(format.Captured)},
		{Kind: format.ValueException, Captured: &format.Captured{Message: &text, Frames: []string{"", text, strings.Repeat("x", 0xffff)}}},
	}
}

func roundTrip(t *testing.T, version format.Version, v appender, open format.Class) {
	t.Helper()
	b, err := v.Append([]byte("before"), version)
	if err != nil || string(b[:6]) != "before" {
		t.Fatalf("%+v: %v", v, err)
	}
	b = b[6:]
	got, n, err := decodeObject(version, b, open)
	if err != nil || n != len(b) {
		t.Fatalf("%+v: %d bytes of %d, %v", v, n, len(b), err)
	}
	if !reflect.DeepEqual(got, v) {
		t.Errorf("read %+v, want %+v", got, v)
	}
	if n, err := version.Size(b, open); err != nil || n != len(b) {
		t.Errorf("%+v: size %d of %d, %v", v, n, len(b), err)
	}
}

func TestRoundTripPoints(t *testing.T) {
	for _, version := range versions {
		t.Run(version.String(), func(t *testing.T) { roundTripPoints(t, version) })
	}
}

func roundTripPoints(t *testing.T, version format.Version) {
	values := someValues(version)
	for i := range values {
		v := values[i]
		other := values[(i+7)%len(values)]
		id := "id"
		for c := format.ClassCall; c <= format.ClassCatch; c++ {
			p := format.Point{Class: c, Diff: format.DiffStatus(i%6 - 1), Location: -1, Thread: math.MaxInt32, Event: math.MinInt32}
			switch c {
			case format.ClassCall:
				p.Ref, p.Target, p.Args, p.Flags = math.MinInt32, v, []format.Value{other, v}, -2
				p.Subtree, p.Marked = []format.DiffStatus{-1, 0, 1, 2, 3, 4}, true
			case format.ClassArrayRead, format.ClassArrayWrite:
				p.Target, p.Number, p.Value = v, -5, other
			case format.ClassVariableRead, format.ClassVariableWrite:
				p.Ref, p.Value = 9, v
			case format.ClassFieldRead, format.ClassFieldWrite:
				p.Ref, p.Target, p.Value = 9, v, other
			case format.ClassLoop:
				p.Ref, p.Subtree, p.Marked = 9, make([]format.DiffStatus, 127), true
			case format.ClassIteration:
				p.Ref, p.Number, p.Marked = 9, math.MaxInt32, version >= format.V27 && i%2 == 0
			case format.ClassSnapshot:
				p.Snapshot = &format.Snapshot{UUID: [2]int64{-1, 2}, Stack: []int32{-1, 5}, Time: math.MinInt64, Locals: []format.Value{v, other}, TraceID: &id}
				if version >= format.V27 {
					p.Snapshot.Watches = []format.Value{other}
				}
				if i%2 == 0 {
					p.Snapshot = new(format.Snapshot)
				}
			default:
				p.Value = v
			}
			roundTrip(t, version, &p, 0)
		}
		roundTrip(t, version, &footerOf{format.Footer{Result: v, Exception: "java.lang.Error", Threw: true}, format.ClassCall}, format.ClassCall)
		roundTrip(t, version, &footerOf{format.Footer{Result: v, Threw: version >= format.V27}, format.ClassCall}, format.ClassCall)
	}
	roundTrip(t, version, &footerOf{format.Footer{Iterations: math.MinInt32}, format.ClassLoop}, format.ClassLoop)
	roundTrip(t, version, &footerOf{format.Footer{}, format.ClassIteration}, format.ClassIteration)
}

func TestRoundTripReferences(t *testing.T) {
	for _, version := range append([]format.Version{format.V19}, versions...) {
		t.Run(version.String(), func(t *testing.T) { roundTripReferences(t, version) })
	}
}

func roundTripReferences(t *testing.T, version format.Version) {
	types := []format.Type{{Kind: format.TypeObject}, {Kind: format.TypeObject, Class: "java.lang.String", Dims: 255}}
	for k := format.TypeBoolean; k <= format.TypeVoid; k++ {
		types = append(types, format.Type{Kind: k}, format.Type{Kind: k, Dims: 2})
	}
	for i, typ := range types {
		id := []int32{0, 5, math.MaxInt32, -1, math.MinInt32}[i%5]
		roundTrip(t, version, &format.MethodDescriptor{ID: id, ClassID: -1, Name: "m\x00", Result: typ, Args: types}, 0)
		roundTrip(t, version, &format.FieldDescriptor{ID: id, ClassID: 1, Name: "f", Type: typ, Static: i%2 == 0, Final: i%3 == 0, Volatile: i%5 == 0 && version > format.V19}, 0)
		roundTrip(t, version, &format.VariableDescriptor{ID: id, Name: "v", Type: typ}, 0)
	}
	for _, text := range []string{"", "x", "\xed\xb0\x80", strings.Repeat("漢", 0xffff/3)} {
		roundTrip(t, version, &format.ThreadName{Thread: -7, Name: text}, 0)
		roundTrip(t, version, &format.ClassDescriptor{ID: 1, Name: text}, 0)
		roundTrip(t, version, &format.StringObject{ID: 2, Value: text}, 0)
	}
	roundTrip(t, version, &format.AccessPath{ID: 3}, 0)
	roundTrip(t, version, &format.AccessPath{ID: 3, Steps: []format.AccessStep{{Kind: 0, Ref: 1}, {Kind: 1, Ref: 2}, {Kind: 2, Ref: -3}, {Kind: 3, Ref: math.MinInt32}, {Kind: 4, Ref: 5}}}, 0)
	most := map[format.Version]format.LocationKind{format.V22: format.LocationCall, format.V27: format.LocationLoop}[version]
	for k := format.LocationLine; k <= most; k++ {
		roundTrip(t, version, &format.CodeLocation{Kind: k, ID: -1, File: -1, Class: -1, Method: -1, Line: math.MinInt32, Path: -1}, 0)
		roundTrip(t, version, &format.CodeLocation{Kind: k, ID: 1, File: 2, Class: 3, Method: 4, Line: 5, Path: 6, ArgNames: []int32{7, -1},
			Locals: []int32{8, 9, -1}, LocalKinds: []format.ActiveKind{0, 1, 2}}, 0)
		if version >= format.V27 {
			roundTrip(t, version, &format.CodeLocation{Kind: k, ID: 1, Line: 5, Loops: []int32{7, -1}}, 0)
		}
	}
}

// A method with absurdly many argument types is refused before they are read.
func TestManyArguments(t *testing.T) {
	for n, ok := range map[int]bool{255: true, 0xffff: true, 0x10000: false} {
		m := &format.MethodDescriptor{Result: format.Type{Kind: format.TypeVoid}}
		for range n {
			m.Args = append(m.Args, format.Type{Kind: format.TypeInt})
		}
		b, err := m.Append(nil, format.V22)
		if (err == nil) != ok {
			t.Errorf("%d arguments: written, %v", n, err)
		}
		if !ok {
			b = append(b, make([]byte, 4+n)...) // it was read as far as the count
			b[12], b[13], b[14], b[15] = 0, 1, 0, 0
		}
		_, _, err = format.NewContext(format.V22).Add(b)
		_, err2 := format.V22.Size(b, 0)
		if (err == nil) != ok || (err2 == nil) != ok || !ok && !strings.Contains(err.Error(), "offset 12: damaged: expected 65535 argument types at most, found 65536") {
			t.Errorf("%d arguments: %v; %v", n, err, err2)
		}
	}
}

// What the format cannot represent is refused when writing.
func TestAppendRefuses(t *testing.T) {
	long := strings.Repeat("x", 0x10000)
	deep := format.Value{}
	for range 201 {
		deep = format.Value{Captured: &format.Captured{Fields: []format.CapturedField{{Value: deep}}}}
	}
	point := func(v format.Value) appender { return &format.Point{Class: format.ClassThrow, Value: v} }
	for name, v := range map[string]appender{
		"long name": &format.ClassDescriptor{Name: long}, "long method": &format.MethodDescriptor{Name: long},
		"long type":      &format.VariableDescriptor{Type: format.Type{Kind: format.TypeObject, Class: long}},
		"long argument":  &format.MethodDescriptor{Args: []format.Type{{Kind: format.TypeObject, Class: long}}},
		"long string":    point(format.Value{Kind: format.ValueString, Text: long}),
		"long field":     point(format.Value{Captured: &format.Captured{Fields: []format.CapturedField{{Name: long}}}}),
		"kind of value":  point(format.Value{Kind: 99}),
		"enum in 22":     point(format.Value{Kind: format.ValueEnum}),
		"negative class": point(format.Value{ClassID: -1}),
		"deep value":     point(deep),
		"class of point": &format.Point{Class: 12},
		"subtree":        &format.Point{Class: format.ClassLoop, Subtree: make([]format.DiffStatus, 256)},
		"footer of leaf": &footerOf{class: format.ClassThrow},
		"loops":          &format.CodeLocation{Loops: []int32{1}},
		"loop":           &format.CodeLocation{Kind: format.LocationLoop},
		"watches":        &format.Point{Class: format.ClassSnapshot, Snapshot: &format.Snapshot{Watches: []format.Value{{}}}},
		"locals":         &format.CodeLocation{Locals: []int32{1}},
		"long exception": &footerOf{Footer: format.Footer{Exception: long}},
	} {
		if _, err := v.Append(nil, format.V22); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
