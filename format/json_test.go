package format

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

func jsonContext(t *testing.T) *Context {
	t.Helper()
	c := NewContext(V22)
	for _, o := range []interface {
		Append([]byte, Version) ([]byte, error)
	}{
		&ClassDescriptor{ID: 1, Name: "app.Node"}, &ClassDescriptor{ID: 2, Name: "[I"},
		&MethodDescriptor{ID: 3, ClassID: 1, Name: "put", Result: Type{Kind: TypeVoid}},
		&FieldDescriptor{ID: 4, ClassID: 1, Name: "next", Type: Type{Kind: TypeInt}},
		&VariableDescriptor{ID: 5, Name: "x", Type: Type{Kind: TypeInt}},
		&StringObject{ID: 6, Value: "Node.java"}, &StringObject{ID: 7, Value: "app/Node"}, &StringObject{ID: 8, Value: "main"},
		&AccessPath{ID: 9, Steps: []AccessStep{{AccessVariable, 5}}},
		&CodeLocation{ID: 10, File: 6, Class: 7, Method: 8, Line: 12, Path: -1, ArgNames: []int32{9, -1}},
	} {
		b, err := o.Append(nil, c.version)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// TestJSONValues: values of different kinds are distinct, and none loses information.
func TestJSONValues(t *testing.T) {
	bits := func(x float64) int64 { return int64(math.Float64bits(x)) }
	for _, tc := range []struct {
		v    Value
		want string
	}{
		{Null(), `{"type":"null"}`},
		{Value{Kind: ValueVoid}, `{"type":"void"}`},
		{Value{Kind: ValueUnit}, `{"type":"unit"}`},
		{Value{Kind: ValueByte, Bits: -1}, `{"type":"byte","value":-1}`},
		{Value{Kind: ValueInt, Bits: 1}, `{"type":"int","value":1}`},
		{Value{Kind: ValueString, Text: "1"}, `{"type":"string","value":"1"}`},
		{Value{Kind: ValueString, Text: "null"}, `{"type":"string","value":"null"}`},
		{Value{Kind: ValueRawString, Text: "RED"}, `{"type":"raw","value":"RED"}`},
		{Value{Kind: ValueBoolean, Bits: 1}, `{"type":"boolean","value":true}`},
		{Value{Kind: ValueChar, Bits: '1'}, `{"type":"char","value":"1"}`},
		{Value{Kind: ValueChar, Bits: 0xd83d}, `{"type":"char","value":"\ufffd","unit":55357}`},
		{Value{Kind: ValueChar, Bits: 0xfffd}, `{"type":"char","value":"�"}`},
		{Value{Kind: ValueString, Text: "\xed\xb8\x80é😀\xed\xa0\xbd"}, `{"type":"string","value":"\ufffdé😀\ufffd","units":[56832,233,55357,56832,55357]}`},
		{Value{Kind: ValueString, Text: "�톀😀"}, `{"type":"string","value":"�톀😀"}`},
		{Value{Kind: ValueRawString, Text: "a\xed\xa0\xbd"}, `{"type":"raw","value":"a\ufffd","units":[97,55357]}`},
		{Value{Kind: ValueBuilder, Bits: 7, Text: "\xed\xa0\xbd"}, `{"type":"builder","id":7,"value":"\ufffd","units":[55357]}`},
		{Value{Kind: ValueLong, Bits: 1 << 53}, `{"type":"long","value":9007199254740992}`},
		{Value{Kind: ValueLong, Bits: 1<<53 + 1}, `{"type":"long","value":"9007199254740993"}`},
		{Value{Kind: ValueLong, Bits: math.MinInt64}, `{"type":"long","value":"-9223372036854775808"}`},
		{Value{Kind: ValueDouble, Bits: bits(0.1)}, `{"type":"double","value":0.1}`},
		{Value{Kind: ValueDouble, Bits: bits(math.Copysign(0, -1))}, `{"type":"double","value":-0.0}`},
		{Value{Kind: ValueDouble, Bits: bits(5e-324)}, `{"type":"double","value":4.9E-324}`},
		{Value{Kind: ValueDouble, Bits: bits(math.NaN())}, `{"type":"double","value":"NaN"}`},
		{Value{Kind: ValueFloat, Bits: int64(math.Float32bits(float32(math.Inf(-1))))}, `{"type":"float","value":"-Infinity"}`},
		{Value{Kind: ValueJavaClass, Text: "A.class"}, `{"type":"java class","value":"A.class"}`},
		{Value{Kind: ValueKotlinClass, Text: "A"}, `{"type":"kotlin class","value":"A"}`},
		{Value{Kind: ValueBuilder, Bits: 7, Text: "a\"b"}, `{"type":"builder","id":7,"value":"a\"b"}`},
		{Value{ClassID: 1, Bits: 7}, `{"type":"object","class":"app.Node","id":7}`},
		{Value{ClassID: 99, Bits: 7}, `{"type":"object","class":null,"class_id":99,"id":7}`},
		{Value{ClassID: 1, Captured: &Captured{Fields: []CapturedField{
			{Name: "next", Value: Value{ClassID: 1, Bits: 8, Captured: &Captured{Fields: []CapturedField{{Name: "", Value: Null()}}}}},
			{Name: "next", Value: Value{Kind: ValueString, Text: "8"}},
		}}}, `{"type":"object","class":"app.Node","id":0,"fields":[{"name":"next","type":"object","class":"app.Node","id":8,` +
			`"fields":[{"name":"","type":"null"}]},{"name":"next","type":"string","value":"8"}]}`},
		{Value{Kind: ValueArray, ClassID: 2, Bits: ArrayBits(0, 100), Captured: &Captured{Elements: []Value{{Kind: ValueInt, Bits: 1}}}},
			`{"type":"object","class":"[I","id":0,"length":100,"elements":[{"type":"int","value":1}]}`},
	} {
		got := string(jsonContext(t).JSON().value(nil, &tc.v))
		if got != tc.want {
			t.Errorf("%+v\n got %s\nwant %s", tc.v, got, tc.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("not JSON: %s", got)
		}
	}
}

// TestJSONValues27: the values that only version 27 has.
func TestJSONValues27(t *testing.T) {
	message := "m\"\n"
	for _, tc := range []struct {
		v    Value
		want string
	}{
		{Value{Kind: ValueEnum, ClassID: 1, Text: "RED"}, `{"type":"enum","class":"app.Node","value":"RED"}`},
		{Value{Kind: ValueEnum, ClassID: 1, Text: "a\xed\xa0\xbd"}, `{"type":"enum","class":"app.Node","value":"a\ufffd","units":[97,55357]}`},
		{Value{Kind: ValueEnum, ClassID: 1, Absent: true}, `{"type":"enum","class":"app.Node"}`},
		{Value{Kind: ValueBigInteger, Text: "12"}, `{"type":"big integer","value":"12"}`},
		{Value{Kind: ValueBigDecimal, Text: "-1.20E+400"}, `{"type":"big decimal","value":"-1.20E+400"}`},
		{Value{Kind: ValueBigDecimal, Text: "1.23..."}, `{"type":"big decimal","value":"1.23..."}`},
		{Value{Kind: ValueBigDecimal, Text: "1.2.3"}, `{"type":"raw","value":"1.2.3"}`},
		{Value{Kind: ValueBigDecimal, Text: "1.2E+..."}, `{"type":"big decimal","value":"1.2E+..."}`},
		{Value{Kind: ValueBigDecimal, Text: "12x..."}, `{"type":"raw","value":"12x..."}`},
		{Value{Kind: ValueBigDecimal, Text: "..."}, `{"type":"raw","value":"..."}`},
		{Value{Kind: ValueBigDecimal, Text: "-..."}, `{"type":"raw","value":"-..."}`},
		{Value{Kind: ValueBigDecimal, Text: "007"}, `{"type":"raw","value":"007"}`}, // Java writes 7
		{Value{Kind: ValueBigDecimal, Text: "5ms"}, `{"type":"raw","value":"5ms"}`},
		{Value{Kind: ValueBigDecimal, Text: ""}, `{"type":"raw","value":""}`},
		{Value{Kind: ValueBigDecimal, Text: "-"}, `{"type":"raw","value":"-"}`},
		{Value{Kind: ValueSequence, ClassID: 1, Bits: 7, Text: "ab"}, `{"type":"sequence","class":"app.Node","id":7,"value":"ab"}`},
		{Value{Kind: ValueJavaClass, Text: "[I"}, `{"type":"java class","value":"[I.class"}`},
		{Value{Kind: ValueArray, ClassID: 2, Bits: ArrayBits(3, 9)}, `{"type":"object","class":"[I","id":3,"length":9}`},
		{Value{Kind: ValueException, ClassID: 1, Bits: 3}, `{"type":"object","class":"app.Node","id":3}`},
		{Value{Kind: ValueException, ClassID: 1, Bits: 3, Captured: &Captured{}}, `{"type":"object","class":"app.Node","id":3,"frames":[]}`},
		{Value{Kind: ValueException, ClassID: 1, Bits: 3, Captured: &Captured{Message: &message, Frames: []string{"a.B.c(B.java:1)"}}},
			`{"type":"object","class":"app.Node","id":3,"message":"m\"\n","frames":["a.B.c(B.java:1)"]}`},
		{Value{ClassID: 1, Captured: &Captured{Fields: []CapturedField{{Name: "kind", Value: Value{Kind: ValueEnum, ClassID: 1, Text: "A"}}}}},
			`{"type":"object","class":"app.Node","id":0,"fields":[{"name":"kind","type":"enum","class":"app.Node","value":"A"}]}`},
		{Value{Kind: ValueUntracked}, `{"type":"untracked"}`},
	} {
		c := jsonContext(t)
		c.version = V27
		if got := string(c.JSON().value(nil, &tc.v)); got != tc.want || !json.Valid([]byte(got)) {
			t.Errorf("%+v\n got %s\nwant %s", tc.v, got, tc.want)
		}
	}
}

// TestJSONStrings: a string survives encoding, which is one line of printable characters.
func TestJSONStrings(t *testing.T) {
	for _, s := range []string{"", "plain", `"quoted" \ back`, "a\nb\r\t\x00\x1f\x7f", "\u0085\u009b", "é ➜ 日本 👩‍👩‍👧",
		"\u202e\u2028\ufeff\U000e0001", "1\u200d2"} {
		b := AppendJSONString(nil, s)
		var back string
		if err := json.Unmarshal(b, &back); err != nil || back != s {
			t.Errorf("%q became %s: %q, %v", s, b, back, err)
		}
		if NeedsEscape(b) {
			t.Errorf("%q became %s, which a terminal must not be given", s, b)
		}
	}
	for s, want := range map[string]string{
		"a\xed\xa0\xbdb":           `"a\ufffdb"`, // an unpaired high surrogate, as it is in memory
		"\xed\xb8\x80":             `"\ufffd"`,
		"\xed\xb8\x80\xed\xa0\xbd": `"\ufffd\ufffd"`,
		"a\xffb":                   `"a\ufffdb"`,
		"\xed\xa0":                 `"\ufffd\ufffd"`,
	} {
		if got := string(AppendJSONString(nil, s)); got != want {
			t.Errorf("%q became %s, want %s", s, got, want)
		}
	}
}

// TestJSONPoints: the members of each class of trace point, in order.
func TestJSONPoints(t *testing.T) {
	one := Value{Kind: ValueInt, Bits: 1}
	text := `,"place":{"file":"Node.java","line":12,"class":"app.Node","method":"main"}`
	id := "t1"
	for _, tc := range []struct {
		p    Point
		f    *Footer
		want string
	}{
		{Point{Class: ClassCall, Ref: 3, Location: 10, Target: Value{ClassID: 1, Bits: 7}, Args: []Value{one, Null()}, Flags: FlagUnderWay},
			&Footer{Result: Value{Kind: ValueVoid}},
			`,"class":"app.Node","method":"put","receiver":{"type":"object","class":"app.Node","id":7},` +
				`"args":[{"name":"x","type":"int","value":1},{"type":"null"}],"result":{"type":"void"},"under_way":true` + text},
		{Point{Class: ClassCall, Ref: 3, Location: -1, Target: Null()}, &Footer{Exception: "app.Oops", Result: Null()},
			`,"class":"app.Node","method":"put","args":[],"exception":{"type":"object","class":"app.Oops"}`},
		{Point{Class: ClassCall, Ref: 3, Location: -1, Target: Null()}, new(Unfinished(ClassCall)),
			`,"class":"app.Node","method":"put","args":[],"result":{"type":"unfinished"}`},
		{Point{Class: ClassCall, Ref: 3, Location: -1, Target: Null()}, &Footer{Result: Value{Kind: ValueUntracked}},
			`,"class":"app.Node","method":"put","args":[],"result":{"type":"untracked"}`},
		{Point{Class: ClassCall, Ref: 77, Location: -1, Target: Null()}, nil, `,"class":null,"method":null,"method_id":77,"args":[]`},
		{Point{Class: ClassFieldWrite, Ref: 4, Location: -1, Target: Null(), Value: one}, nil,
			`,"class":"app.Node","field":"next","value":{"type":"int","value":1}`},
		{Point{Class: ClassFieldRead, Ref: 44, Location: 10, Target: Value{ClassID: 1, Bits: 7}, Value: one, Diff: DiffAdded}, nil,
			`,"diff":"added","class":null,"field":null,"field_id":44,"owner":{"type":"object","class":"app.Node","id":7},"value":{"type":"int","value":1}` + text},
		{Point{Class: ClassVariableRead, Ref: 5, Location: -1, Value: one}, nil, `,"variable":"x","value":{"type":"int","value":1}`},
		{Point{Class: ClassVariableWrite, Ref: 55, Location: -1, Value: one}, nil, `,"variable":null,"variable_id":55,"value":{"type":"int","value":1}`},
		{Point{Class: ClassArrayWrite, Number: 3, Location: -1, Target: Value{ClassID: 2, Bits: 9}, Value: one}, nil,
			`,"owner":{"type":"object","class":"[I","id":9},"element":3,"value":{"type":"int","value":1}`},
		{Point{Class: ClassLoop, Ref: 2, Location: -1}, &Footer{Iterations: 4}, `,"loop":2,"iterations":4`},
		{Point{Class: ClassIteration, Ref: 2, Number: 0, Location: -1}, &Footer{}, `,"loop":2,"iteration":1`},
		{Point{Class: ClassThrow, Location: -1, Value: Value{ClassID: 1, Bits: 7}}, nil,
			`,"exception":{"type":"object","class":"app.Node","id":7}`},
		{Point{Class: ClassSnapshot, Location: -1, Snapshot: &Snapshot{Stack: []int32{10, -1}, Time: 5, Locals: []Value{one}, TraceID: &id}}, nil,
			`,"breakpoint":"00000000-0000-0000-0000-000000000000","time":5,"trace_id":"t1",` +
				`"stack":[{"file":"Node.java","line":12,"class":"app.Node","method":"main"},{}],"locals":[{"type":"int","value":1}]`},
	} {
		if tc.p.Diff == 0 {
			tc.p.Diff = DiffNone
		}
		j := jsonContext(t).JSON()
		for range 2 { // the second time from the cache
			if got := string(j.AppendPoint(nil, &tc.p, tc.f)); got != tc.want {
				t.Errorf("%s\n got %s\nwant %s", tc.p.Class, got, tc.want)
			}
		}
		if line := "{" + strings.TrimPrefix(tc.want, ",") + "}"; !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
}

// TestJSONKeepsLittle: the cache is bounded.
func TestJSONKeepsLittle(t *testing.T) {
	c := NewContext(V22)
	for i := range int32(maxKept + 100) {
		b, err := (&CodeLocation{ID: i, File: -1, Class: -1, Method: -1, Line: i, Path: -1}).Append(nil, V22)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	j := c.JSON()
	for i := range int32(maxKept + 100) {
		want := fmt.Sprintf(`,"variable":null,"variable_id":0,"value":{"type":"null"},"place":{"line":%d}`, i)
		if i == 0 {
			continue // line 0 means none
		}
		if got := string(j.AppendPoint(nil, &Point{Class: ClassVariableRead, Diff: DiffNone, Location: i, Value: Null()}, nil)); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	if len(j.locations) > maxKept {
		t.Errorf("%d places are kept", len(j.locations))
	}
}

// TestJSONResultNames: the results of a Go function have the names of its source, one for each, if any has one.
func TestJSONResultNames(t *testing.T) {
	const v = V27
	c := NewContext(v)
	add := func(b []byte, err error) {
		t.Helper()
		if err == nil {
			_, _, err = c.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	words := []string{"shop.go", "shop", "Pay", "Load", "Count", "left", Unnamed, ErrorResult}
	for id, word := range words {
		add((&StringObject{ID: int32(id), Value: word}).Append(nil, v))
	}
	add((&ClassDescriptor{Name: "shop"}).Append(nil, v))
	add((&ClassDescriptor{ID: 1, Name: ResultsClass}).Append(nil, v))
	const result = ActiveVariable
	for i, locals := range [][]int32{{5, 7}, {6, 7}, {6}} {
		id := int32(i)
		add((&MethodDescriptor{ID: id, Name: words[2+i], Result: Type{Kind: TypeInt}}).Append(nil, v))
		l := CodeLocation{ID: id, File: 0, Class: 1, Method: 2 + id, Line: 3, Path: -1, Locals: locals}
		for range locals {
			l.LocalKinds = append(l.LocalKinds, result)
		}
		add(l.Append(nil, v))
	}
	one := Value{Kind: ValueInt, Bits: 1}
	both := Value{ClassID: 1, Captured: &Captured{Fields: []CapturedField{{Name: "1", Value: one}, {Name: "2", Value: Null()}}}}
	j := c.JSON()
	for _, x := range []struct {
		method int32
		footer Footer
		want   string
	}{
		{0, Footer{Result: both}, `"result_names":["left","err"]`},
		{0, Footer{Result: both}, `"result_names":["left","err"]`},
		{1, Footer{Result: both}, `"result_names":["","err"]`},
		{2, Footer{Result: one}, ""},  // it has no name
		{0, Footer{Result: one}, ""},  // of several results
		{9, Footer{Result: both}, ""}, // not described
		{0, Footer{Threw: true, Exception: "panic: x"}, ""},
	} {
		p := &Point{Class: ClassCall, Diff: DiffNone, Location: -1, Ref: x.method, Target: Null()}
		text := string(j.AppendPoint(nil, p, &x.footer))
		if _, got, ok := strings.Cut(text, `,"result_names":`); ok != (x.want != "") || ok && `"result_names":`+got != x.want {
			t.Errorf("method %d: %s, want %s", x.method, text, x.want)
		}
	}
}
