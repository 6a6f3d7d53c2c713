package format

import (
	"strings"
	"testing"
)

// TestLiteral has values of the traces of other tools: they have neither an identity nor a class.
func TestLiteral(t *testing.T) {
	numbers := func(n int) (list []Value) {
		for i := range n {
			list = append(list, Value{Kind: ValueInt, Bits: int64(i + 1)})
		}
		return list
	}
	array := func(class, hash, length int32, list ...Value) Value {
		return Value{Kind: ValueArray, ClassID: class, Bits: ArrayBits(hash, length), Captured: &Captured{Elements: list}}
	}
	object := func(class int32, list ...CapturedField) Value {
		return Value{Kind: ValueObject, ClassID: class, Captured: &Captured{Fields: list}}
	}
	nested := object(0, CapturedField{"a", Value{Kind: ValueInt, Bits: 1}}, CapturedField{"b", array(0, 0, 2, numbers(2)...)})
	for _, version := range []Version{V22, V27} {
		c := NewContext(version)
		addTo(t, c, &ClassDescriptor{0, ""})
		addTo(t, c, &ClassDescriptor{1, "Map"})
		addTo(t, c, &MethodDescriptor{ID: 0, Name: "f", Result: Type{Kind: TypeVoid}})
		addTo(t, c, &VariableDescriptor{0, "x", Type{Kind: TypeInt}})
		addTo(t, c, &AccessPath{0, []AccessStep{{Kind: AccessVariable}}})
		addTo(t, c, &CodeLocation{ID: 0, Kind: LocationCall, File: -1, Class: -1, Method: -1, Path: -1, ArgNames: []int32{0}})
		for _, test := range []struct {
			value Value
			text  string
			named string // with the name of an argument before it
		}{
			{array(0, 0, 2, numbers(2)...), "[1, 2]", "x ➜ [1, 2]"},
			{array(0, 0, 9, numbers(2)...), "[1, 2, …]", "x ➜ [1, 2, …]"},
			{nested, "{a:1, b:[1, 2]}", "x ➜ {a:1, b:[1, 2]}"},
			{array(0, 0, 2, nested, nested), "[{a:1, b:[1, 2]}, {a:1, b:[1, 2]}]", "x ➜ [{a:1, b:[1, 2]}, {a:1, b:[1, 2]}]"},
			{array(0, 7, 2, numbers(2)...), "@7", "x"},
			{array(1, 0, 2, numbers(2)...), "Map@0", "x"},
			{array(9, 0, 2, numbers(2)...), "<class 9>@0", "x"},
			{object(1, CapturedField{"a", Value{Kind: ValueInt, Bits: 1}}), "Map{a:1}", "x"},
		} {
			if got := string(c.AppendValueText(nil, &test.value)); got != test.text {
				t.Errorf("version %d: %s, want %s", version, got, test.text)
			}
			p := Point{Class: ClassCall, Args: []Value{test.value}, Target: Null()}
			if got := string(c.AppendText(nil, &p, nil, Parent{}, false)); got != "  f("+test.named+")" && got != "f("+test.named+")" {
				t.Errorf("version %d: %s, want %s", version, got, test.named)
			}
			b, err := version.AppendValue([]byte{0}, &test.value)
			if err != nil {
				t.Fatal(err)
			}
			var g PartialValue
			if version.partialValue(b, 1, &g); test.named != "x" && !g.Rest || PartialOf(&test.value).Rest != g.Rest {
				t.Errorf("version %d: %s: a partial value says that its text has no more", version, test.text)
			}
		}
		long := array(0, 0, 1000, numbers(1000)...)
		if got := string(c.AppendValueText(nil, &long)); len(got) > 2*maxLiteral || !strings.HasSuffix(got, ", …]") {
			t.Errorf("a long list is %s", got)
		}
	}
}
