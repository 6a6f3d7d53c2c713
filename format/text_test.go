package format

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// textContext returns a Context with a few objects of every kind, added in encoded form,
// as from a file.
func textContext(t testing.TB) *Context {
	t.Helper()
	c := NewContext(V22)
	integer := Type{Kind: TypeInt}
	for _, o := range []interface {
		Append([]byte, Version) ([]byte, error)
	}{
		&ClassDescriptor{0, "a.A"}, &ClassDescriptor{1, "a.A$Companion"}, &ClassDescriptor{2, "a.MainKt"},
		&ClassDescriptor{3, "kotlin.jvm.internal.Ref$IntRef"}, &ClassDescriptor{4, "a.Object"},
		&MethodDescriptor{ID: 0, ClassID: 0, Name: "f", Result: integer}, &MethodDescriptor{ID: 1, ClassID: 1, Name: "g", Result: integer},
		&MethodDescriptor{ID: 2, ClassID: 2, Name: "main", Result: integer}, &MethodDescriptor{ID: 3, ClassID: 0, Name: "<init>", Result: integer},
		&MethodDescriptor{ID: 4, ClassID: 99, Name: "lost", Result: integer}, &MethodDescriptor{ID: 5, ClassID: 4, Name: "o", Result: integer},
		&FieldDescriptor{ID: 0, ClassID: 0, Name: "Companion", Type: integer, Static: true, Final: true},
		&FieldDescriptor{ID: 1, ClassID: 4, Name: "INSTANCE", Type: integer, Static: true, Final: true},
		&FieldDescriptor{ID: 2, ClassID: 0, Name: "next", Type: integer}, &FieldDescriptor{ID: 3, ClassID: 0, Name: "this$0", Type: integer},
		&FieldDescriptor{ID: 4, ClassID: 3, Name: "element", Type: integer},
		&FieldDescriptor{ID: 5, ClassID: 0, Name: "INSTANCE", Type: integer, Static: true},
		&VariableDescriptor{0, "x", integer}, &VariableDescriptor{1, "this", integer},
		&AccessPath{0, []AccessStep{{AccessVariable, 0}, {AccessObjectField, 3}, {AccessObjectField, 2}}},
		&AccessPath{1, []AccessStep{{AccessVariable, 1}}}, &AccessPath{2, []AccessStep{{AccessStaticField, 0}}},
		&AccessPath{3, []AccessStep{{AccessStaticField, 1}}}, &AccessPath{4, []AccessStep{{AccessVariable, 0}, {AccessNamedElement, 4}}},
		&AccessPath{5, []AccessStep{{AccessVariable, 0}, {AccessObjectField, 3}}}, &AccessPath{6, []AccessStep{{AccessVariable, 0}}},
		&AccessPath{7, []AccessStep{{AccessVariable, 55}, {AccessStaticField, 55}, {AccessNamedElement, 55}}},
		&AccessPath{8, []AccessStep{{AccessStaticField, 5}}},
		&StringObject{0, "A.kt"}, &StringObject{1, "a.b.C"}, &StringObject{2, "m"},
	} {
		addTo(t, c, o)
	}
	// Location 10 + n has path n; 30 has no path and names for two arguments.
	for n := int32(0); n <= 8; n++ {
		addTo(t, c, &CodeLocation{ID: 10 + n, File: 0, Class: 1, Method: 2, Line: n, Path: n})
	}
	addTo(t, c, &CodeLocation{ID: 30, File: -1, Class: -1, Method: -1, Line: 3, Path: -1, ArgNames: []int32{6, -1}})
	addTo(t, c, &CodeLocation{ID: 31, File: 66, Class: 66, Method: 66, Line: 3, Path: 66})
	return c
}

func addTo(t testing.TB, c *Context, o interface {
	Append([]byte, Version) ([]byte, error)
}) {
	t.Helper()
	b, err := o.Append(nil, c.Version())
	if err == nil {
		_, _, err = c.Add(b)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var textObject = Value{ClassID: 4, Bits: 9}

// long is the text of a field, of which a literal has two.
var long = strings.Repeat("x", 40)

func structOf(fields ...CapturedField) Value {
	return Value{ClassID: 4, Captured: &Captured{Fields: fields}}
}

func structField(name string, fields ...CapturedField) CapturedField {
	return CapturedField{name, structOf(fields...)}
}

func longField(name string) CapturedField {
	return CapturedField{name, Value{Kind: ValueString, Text: long}}
}

func intOf(n int64) Value { return Value{Kind: ValueInt, Bits: n} }

func callOf(method, location int32, target Value, args ...Value) Point {
	return Point{Class: ClassCall, Diff: DiffNone, Ref: method, Location: location, Target: target, Args: args}
}

func fieldOf(field, location int32, target Value) Point {
	return Point{Class: ClassFieldRead, Diff: DiffNone, Ref: field, Location: location, Target: target, Value: intOf(1)}
}

var textTests = []struct {
	name   string
	point  Point
	footer *Footer
	parent Parent
	want   string
}{
	{"static", callOf(0, -1, Null()), &Footer{Result: intOf(3)}, Parent{}, "A.f(): 3"},
	{"static from own class", callOf(0, -1, Null()), nil, Parent{Call: true, Method: 3}, "f()"},
	{"from the class of the companion", callOf(1, -1, Null()), nil, Parent{Call: true, Method: 0}, "g()"},
	{"from the companion", callOf(0, -1, Null()), nil, Parent{Call: true, Method: 1}, "A.f()"},
	{"Kotlin file", callOf(2, -1, Null()), &Footer{Result: Value{Kind: ValueVoid}}, Parent{}, "main()"},
	{"receiver", callOf(0, -1, textObject), nil, Parent{}, "Object@9.f()"},
	{"struct", callOf(0, -1, Null(), structOf(CapturedField{"x", intOf(1)}, CapturedField{"s", Value{Kind: ValueString, Text: "a\n"}}, CapturedField{"in", structOf(CapturedField{"o", textObject})})), nil, Parent{},
		`A.f(Object{x:1, s:"a\n", in:Object{o:Object@9}})`},
	{"struct with more fields", callOf(0, -1, Null(), structOf(CapturedField{"x", intOf(1)}, CapturedField{MoreFields, Value{Kind: ValueRawString, Text: "…"}})), nil, Parent{}, "A.f(Object{x:1, …})"},
	{"large struct", callOf(0, -1, Null(), structOf(longField("a"), structField("b", longField("c"), longField("d")), longField("e")), intOf(7)), nil, Parent{},
		`A.f(Object{a:"` + long + `", b:Object{c:"` + long + `", …}, …}, 7)`},
	{"receiver that is a struct", callOf(0, -1, structOf(CapturedField{"x", intOf(1)})), nil, Parent{}, "Object{x:1}.f()"},
	{"receiver that is a large struct", callOf(0, -1, structOf(CapturedField{"x", intOf(1)}, longField("y"), CapturedField{"z", intOf(1)}), structOf(longField("y"), CapturedField{"z", intOf(1)})),
		nil, Parent{}, `Object{x:1, y:"` + long + `", …}.f(Object{y:"` + long + `", z:1})`},
	{"result that is a struct", callOf(0, -1, Null()), &Footer{Result: structOf(CapturedField{"x", intOf(1)})}, Parent{}, "A.f(): Object{x:1}"},
	{"constructor", callOf(3, 10, textObject, Null()), nil, Parent{}, "new A(null)"},
	{"path of a call", callOf(0, 10, textObject), nil, Parent{}, "x.next.f()"},
	{"path that ends this-like", callOf(0, 15, textObject), nil, Parent{}, "x..f()"}, // as in the reference
	{"path of a field that ends this-like", fieldOf(2, 15, textObject), nil, Parent{}, "x.next ➜ 1"},
	{"this", callOf(0, 11, textObject), nil, Parent{}, "f()"},
	{"object", callOf(5, 13, textObject), nil, Parent{}, "Object.o()"},
	{"field INSTANCE that changes", callOf(5, 18, textObject), nil, Parent{}, "A.INSTANCE.o()"},
	{"companion", callOf(1, 12, textObject), nil, Parent{}, "A.g()"},
	{"companion from its class", callOf(1, 12, textObject), nil, Parent{Call: true, Method: 0}, "g()"},
	{"arguments", callOf(0, 30, Null(), intOf(1), intOf(2)), nil, Parent{}, "A.f(x ➜ 1, 2)"},
	{"argument object", callOf(0, 30, Null(), textObject, textObject), nil, Parent{}, "A.f(x, Object@9)"},
	{"names that do not fit", callOf(0, 30, Null(), intOf(1)), nil, Parent{}, "A.f(1)"},
	{"thrown", callOf(0, -1, Null()), &Footer{Result: intOf(3), Exception: "E"}, Parent{}, "A.f(): threw E"},
	{"unfinished", callOf(0, -1, Null()), &Footer{Result: Value{Kind: ValueUnfinished}}, Parent{}, "A.f(): <unfinished method>"},
	{"box", fieldOf(4, 16, textObject), nil, Parent{}, "x ➜ 1"},
	{"box without path", fieldOf(4, -1, textObject), nil, Parent{}, "Object@9 ➜ 1"},
	{"static field", fieldOf(0, -1, Null()), nil, Parent{}, "A.Companion ➜ 1"},
	{"surrogates", Point{Class: ClassThrow, Diff: DiffAdded, Value: Value{Kind: ValueString, Text: "a\xed\xa0\x80\\\nb"}}, nil, Parent{}, `+ throw "a?\\\nb"`},
	{"half a pair", Point{Class: ClassCatch, Diff: DiffUnchanged, Value: Value{Kind: ValueChar, Bits: 0xd800}}, nil, Parent{}, "  catch('?')"},
	{"loop", Point{Class: ClassLoop, Diff: DiffRemoved}, &Footer{Iterations: 4}, Parent{}, "- loop(4 iterations)"},
	{"iteration", Point{Class: ClassIteration, Diff: DiffEditedOld, Number: 4}, &Footer{}, Parent{}, "! <iteration 5>"},
	{"breakpoint", Point{Class: ClassSnapshot, Diff: DiffAdded, Snapshot: &Snapshot{UUID: [2]int64{1, -1}, Stack: []int32{10, -1, 31, 99, 99}}}, nil, Parent{},
		"Live breakpoint [00000000-0000-0001-ffff-ffffffffffff], stacktrace: [C.m, ., <string 66>.<string 66> ... (2 more)]"},
	{"unknown method", callOf(77, -1, Null()), nil, Parent{}, "<method 77>()"},
	{"unknown class", callOf(4, -1, Null()), nil, Parent{Call: true, Method: 77}, "<class 99>.lost()"},
	{"unknown field", fieldOf(77, -1, Null()), nil, Parent{}, "<field 77> ➜ 1"},
	{"unknown variable", Point{Class: ClassVariableWrite, Diff: DiffNone, Ref: 77, Value: Value{ClassID: 88}}, nil, Parent{}, "<variable 77> = <class 88>@0"},
	{"unknown steps", callOf(0, 17, textObject), nil, Parent{}, "<variable 55>.<field 55>[<path 55>].f()"},
	{"unknown path", callOf(0, 31, textObject), nil, Parent{}, "<path 66>.f()"},
	{"unknown location", callOf(0, 99, textObject), nil, Parent{}, "Object@9.f()"},
}

func TestText(t *testing.T) {
	c := textContext(t)
	for _, tc := range textTests {
		t.Run(tc.name, func(t *testing.T) {
			if got := string(c.AppendText(nil, &tc.point, tc.footer, tc.parent, false)); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// TestSpans checks that spans cover the text without gaps, that adjacent ones differ, and that
// the text is the same as without spans.
func TestSpans(t *testing.T) {
	c := textContext(t)
	for _, tc := range textTests {
		for _, verbose := range []bool{false, true} {
			plain := c.AppendText(nil, &tc.point, tc.footer, tc.parent, verbose)
			text, spans := c.AppendSpans([]byte("> "), []Span{{0, 2, StyleName}}, &tc.point, tc.footer, tc.parent, verbose)
			if string(text) != "> "+string(plain) {
				t.Errorf("%s: text %q, want %q", tc.name, text, plain)
			}
			at := 2
			for i, s := range spans[1:] {
				if s.Start != at || s.End <= s.Start || i > 0 && s.Style == spans[i].Style {
					t.Errorf("%s: spans %v", tc.name, spans)
				}
				at = s.End
			}
			if at != len(text) {
				t.Errorf("%s: spans end at %d of %d", tc.name, at, len(text))
			}
		}
	}
}

func TestStyles(t *testing.T) {
	c := textContext(t)
	p := callOf(0, 30, Null(), intOf(1), Value{Kind: ValueString, Text: "s"})
	p.Diff = DiffAdded
	text, spans := c.AppendSpans(nil, nil, &p, &Footer{Exception: "E"}, Parent{}, true)
	var got []string
	for _, s := range spans {
		got = append(got, string(rune('a'+s.Style))+":"+string(text[s.Start:s.End]))
	}
	want := `b:+ |m:A.|l:f|a:(x ➜ |g:1|a:, |f:"s"|a:): |d:threw|a: |i:E|k: at <unknown>:3`
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

// TestHostilePaths: a path that is its own index, and paths that fan out.
func TestHostilePaths(t *testing.T) {
	c := textContext(t)
	p := callOf(0, 14, textObject)
	got := string(c.AppendText(nil, &p, nil, Parent{}, false))
	if want := strings.Repeat("x[", 17) + "…" + strings.Repeat("]", 17) + ".f()"; got != want {
		t.Errorf("got %s", got)
	}
	for id := int32(100); id < 140; id++ {
		next := AccessStep{AccessNamedElement, id + 1}
		addTo(t, c, &AccessPath{id, []AccessStep{next, next, next, next}})
	}
	addTo(t, c, &CodeLocation{ID: 200, File: -1, Class: -1, Method: -1, Path: 100})
	p.Location = 200
	if n := len(c.AppendText(nil, &p, nil, Parent{}, false)); n > 10*maxPathSteps {
		t.Errorf("a text of %d bytes", n)
	}
	p = Point{Class: ClassArrayRead, Location: 200, Diff: DiffNone, Value: intOf(1)}
	if c.Coverage(&p) {
		t.Error("taken for coverage")
	}
}

func TestTextAllocates(t *testing.T) {
	c := textContext(t)
	buf := make([]byte, 0, 4096)
	spans := make([]Span, 0, 64)
	for _, tc := range textTests {
		if n := testing.AllocsPerRun(10, func() {
			buf = c.AppendText(buf[:0], &tc.point, tc.footer, tc.parent, true)
			buf, spans = c.AppendSpans(buf[:0], spans[:0], &tc.point, tc.footer, tc.parent, true)
		}); n != 0 {
			t.Errorf("%s: %v allocations", tc.name, n)
		}
	}
}

func TestDetails(t *testing.T) {
	c := textContext(t)
	v := Value{Kind: ValueBuilder, Bits: 5, Text: "a\tb"}
	file, line, ok := c.FileLine(12)
	for _, tc := range []struct{ got, want string }{
		{string(c.AppendValueText(nil, &v)), `StringBuilder@5("a\tb")`},
		{string(c.AppendPathText(nil, 0)), "x.next"}, {string(c.AppendPathText(nil, -1)), ""}, {string(c.AppendPathText(nil, 77)), "<path 77>"},
		{string(c.AppendLocationText(nil, 12)), "A.kt:2"}, {string(c.AppendLocationText(nil, -1)), ":0"},
		{c.ClassName(1), "A.Companion"}, {c.MethodName(0), "f"}, {c.FieldName(2), "next"}, {c.VariableName(0), "x"},
		{c.ClassName(77), "<class 77>"}, {c.MethodName(77), "<method 77>"}, {file, "A.kt"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
	if line != 2 || !ok {
		t.Errorf("line %d, %v", line, ok)
	}
	if _, _, ok := c.FileLine(30); ok {
		t.Error("a location without file has one")
	}
}

// TestTextOfLocation: the text of a code location does not change, except when the name of its
// file arrives after it.
func TestTextOfLocation(t *testing.T) {
	c := NewContext(V22)
	addTo(t, c, &VariableDescriptor{ID: 0, Name: "x", Type: Type{Kind: TypeInt}})
	addTo(t, c, &CodeLocation{ID: 0, File: 3, Line: 12, Class: -1, Method: -1, Path: -1})
	addTo(t, c, &CodeLocation{ID: 1, File: -1, Line: 7, Class: -1, Method: -1, Path: -1})
	text := func(location int32, want string) {
		t.Helper()
		p := Point{Class: ClassVariableRead, Diff: DiffNone, Location: location, Value: Value{Kind: ValueInt, Bits: 1}}
		for range 2 {
			if got := string(c.AppendText([]byte("before "), &p, nil, Parent{}, true)); got != "before x ➜ 1 at "+want {
				t.Errorf("got %q, want the place %s", got, want)
			}
		}
	}
	text(0, "<string 3>:12")
	text(1, "<unknown>:7")
	text(-1, ":0")
	text(9, "<location 9>")
	addTo(t, c, &StringObject{ID: 3, Value: "a.kt"})
	text(0, "a.kt:12")
	text(1, "<unknown>:7")
}

// TestResultsText: several results of a Go function are shown as Go shows them.
func TestResultsText(t *testing.T) {
	c := NewContext(V27)
	for id, name := range []string{ResultsClass, "shop.Point"} {
		b, err := (&ClassDescriptor{ID: int32(id), Name: name}).Append(nil, V27)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	fields := func(list ...Value) *Captured {
		in := &Captured{}
		for i := range list {
			in.Fields = append(in.Fields, CapturedField{Name: strconv.Itoa(i + 1), Value: list[i]})
		}
		return in
	}
	number := Value{Kind: ValueInt, Bits: 3}
	point := Value{ClassID: 1, Captured: fields(number, Null())}
	for _, tc := range []struct {
		v    Value
		want string
		list int
	}{
		{Value{Captured: fields(number, Null())}, "(3, nil)", 2},
		{Value{Captured: fields(point, Value{Kind: ValueString, Text: strings.Repeat("long ", 20)}, Value{ClassID: 1, Bits: 7})}, `(Point{1:3, 2:null}, "` + strings.Repeat("long ", 20) + `", Point@7)`, 3},
		{Value{Captured: fields(number), Bits: 5}, "(results)@5", 0}, // an object
		{Value{ClassID: 1, Captured: fields(number)}, "Point{1:3}", 0},
		{Value{}, "(results)@0", 0},
		{number, "3", 0},
	} {
		if got := string(c.AppendValueText(nil, &tc.v)); got != tc.want || len(tc.v.Results(c)) != tc.list {
			t.Errorf("%q of %d results, want %q of %d", got, len(tc.v.Results(c)), tc.want, tc.list)
		}
		for n := range tc.list + 2 {
			want := &tc.v
			switch {
			case n > 0 && n <= tc.list:
				want = &tc.v.Captured.Fields[n-1].Value
			case n > max(tc.list, 1):
				want = nil
			}
			if got := tc.v.Result(c, n); got != want {
				t.Errorf("result %d of %s is %+v", n, tc.want, got)
			}
		}
	}
}

func TestAppendEscaped(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"plain ➜ é 漢 😀":            "plain ➜ é 漢 😀",
		"\x1b[2J\x07":              `\x1b[2J\x07`,
		"a\n\r\tb\x00\x7f":         `a\n\r\tb\x00\x7f`,
		"\u0085\u009b31m\u00a0":    `\u0085\u009b31m` + "\u00a0",
		"\u202eabc\u2066\u200f":    `\u202eabc\u2066\u200f`,
		"\u2028\ufeff\u00ad\u200b": `\u2028\ufeff\u00ad\u200b`,
		"👩\u200d🔬":                 "👩\u200d🔬",
		"\U000e0041":               `\U000e0041`,
		"\xff\xc3\xed\xa0\x80":     `\xff\xc3\xed\xa0\x80`,
		"\ufffd":                   "\ufffd",
	} {
		if got := string(AppendEscaped(nil, in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if got := NeedsEscape(in); got != (in != want) {
			t.Errorf("NeedsEscape(%q) = %v", in, got)
		}
	}
}

func FuzzAppendEscaped(f *testing.F) {
	f.Add("x\x1b[31m\u202e\xed\xa0\x80")
	f.Fuzz(func(t *testing.T, in string) {
		out := string(AppendEscaped(nil, in))
		if !utf8.ValidString(out) || NeedsEscape(out) {
			t.Errorf("%q gives %q", in, out)
		}
	})
}

func TestAppendInt(t *testing.T) {
	var list []int64
	for p := int64(1); p <= 1e18; p *= 10 {
		list = append(list, p-1, p, p+1, 5*p)
	}
	for i := range 64 {
		list = append(list, 1<<i-1, 1<<i)
	}
	for i := range int64(1100) {
		list = append(list, i)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		list = append(list, r.Int64()>>r.IntN(64))
	}
	list = append(list, math.MinInt64, math.MaxInt64)
	for _, n := range list {
		for _, n := range []int64{n, -n} {
			want := strconv.AppendInt([]byte("@"), n, 10)
			if got := appendInt([]byte("@"), n); string(got) != string(want) {
				t.Fatalf("%q, want %q", got, want)
			}
		}
	}
}
