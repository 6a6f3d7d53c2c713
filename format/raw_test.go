package format

import "testing"

// rawValues returns values of all kinds, a struct in a struct, and an object with an identity and fields.
func rawValues() (list []Value) {
	for kind := range valueKindCount {
		list = append(list, partialExample(kind))
	}
	field := func(name string, v Value) CapturedField { return CapturedField{Name: name, Value: v} }
	inner := Value{Kind: ValueObject, ClassID: 8, Captured: &Captured{Fields: []CapturedField{field("é", Value{Kind: ValueString, Text: "\x00ü"})}}}
	both := &Captured{Fields: []CapturedField{field("x", Value{Kind: ValueInt, Bits: 5}), field("in", inner)}}
	return append(list, Value{Kind: ValueObject, ClassID: 7, Captured: both}, Value{Kind: ValueObject, ClassID: 7, Bits: 3, Captured: both},
		Value{Kind: ValueArray, ClassID: 7, Bits: ArrayBits(9, 70)}, Value{Kind: ValueException, ClassID: 7, Bits: 4}, Value{Kind: ValueEnum, ClassID: 7, Absent: true})
}

// sameRaw reads a value and compares it with one that was decoded.
func sameRaw(t *testing.T, r *RawReader, want *Value, depth int) {
	t.Helper()
	var x RawValue
	r.Value(&x, depth)
	text, fields, message := want.Text, 0, false
	if want.ByValue() {
		fields = len(want.Captured.Fields)
	}
	if in := want.Captured; in != nil && in.Message != nil {
		text, message = *in.Message, true
	}
	got, bad := decodeModified(x.Text)
	if bad >= 0 || got != text || x.Kind != want.Kind || x.ClassID != want.ClassID || x.Bits != want.Bits || x.Absent != want.Absent ||
		x.Fields != fields || x.Message != message {
		t.Fatalf("%+v, want %+v: %v", x, *want, r.Err())
	}
	for i := range fields {
		f := &want.Captured.Fields[i]
		if name, _ := decodeModified(r.Name()); name != f.Name {
			t.Fatalf("field %q, want %q", name, f.Name)
		}
		sameRaw(t, r, &f.Value, depth+1)
	}
}

// readRaw reads all values of a point.
func readRaw(r *RawReader, b []byte, v Version, class Class) error {
	var read func(n, depth int)
	read = func(n, depth int) {
		var x RawValue
		for ; n > 0 && r.Err() == nil; n-- {
			if depth > 0 {
				r.Name()
			}
			r.Value(&x, depth)
			read(x.Fields, depth+1)
		}
	}
	r.Point(v, b, class)
	read(1, 0)
	if class == ClassCall {
		read(r.Count(), 0)
	}
	return r.Err()
}

// TestRawReader: values in place are those that are decoded, and what is cut is an error.
func TestRawReader(t *testing.T) {
	for _, v := range []Version{V22, V27} {
		p := Point{Class: ClassCall, Diff: DiffNone, Ref: 5, Target: Null()}
		for _, x := range rawValues() {
			if _, err := v.AppendValue(nil, &x); err == nil { // the version has such a kind
				p.Args = append(p.Args, x)
			}
		}
		if len(p.Args) < 18 {
			t.Fatalf("version %d: %d values", v, len(p.Args))
		}
		b, err := p.Append(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		var decoded Point
		if _, err := v.DecodePoint(b, &decoded); err != nil {
			t.Fatal(err)
		}
		var r RawReader
		r.Point(v, b, ClassCall)
		sameRaw(t, &r, &decoded.Target, 0)
		if n := r.Count(); n != len(decoded.Args) {
			t.Fatalf("%d arguments, want %d", n, len(decoded.Args))
		}
		for i := range decoded.Args {
			sameRaw(t, &r, &decoded.Args[i], 0)
		}
		if err := r.Err(); err != nil {
			t.Error(err)
		}
		for end := range len(b) - 2 { // the flags follow the values
			if readRaw(&r, b[:end], v, ClassCall) == nil {
				t.Errorf("version %d: cut to %d bytes it is read", v, end)
			}
		}
		if n := testing.AllocsPerRun(10, func() { r.Point(v, b, ClassCall); r.Value(new(RawValue), 0) }); n > 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

// TestRawFooter: so are results and what was thrown.
func TestRawFooter(t *testing.T) {
	for _, v := range []Version{V22, V27} {
		for _, f := range []Footer{{Result: Value{Kind: ValueInt, Bits: 3}}, {Result: Value{Kind: ValueVoid}, Exception: "java.io.IOException", Threw: true},
			{Result: Value{Kind: ValueUnfinished}}, {Result: Value{Kind: ValueUntracked}}} {
			b, err := f.Append(nil, v, ClassCall)
			if err != nil {
				t.Fatal(err)
			}
			var r RawReader
			var x RawValue
			r.Footer(v, b)
			r.Result(&x)
			name, threw := r.Thrown()
			if x.Kind != f.Result.Kind || x.Bits != f.Result.Bits || string(name) != f.Exception || threw != f.Threw || r.Err() != nil {
				t.Errorf("version %d: %+v %q %v, want %+v: %v", v, x, name, threw, f, r.Err())
			}
		}
	}
}
