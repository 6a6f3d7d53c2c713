package format_test

import (
	"testing"

	"tracex/format"
)

// TestExtras: a row may add the names of parameters and what was captured in values with an identity; the text stays what it is.
func TestExtras(t *testing.T) {
	const v = format.V27
	c := format.NewContext(v)
	add := func(b []byte, err error) {
		t.Helper()
		if err == nil {
			_, _, err = c.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	number := format.Type{Kind: format.TypeInt}
	for id, name := range []string{"shop", "[]int", "map[string]int", "shop.Order"} {
		add((&format.ClassDescriptor{ID: int32(id), Name: name}).Append(nil, v))
	}
	add((&format.MethodDescriptor{Name: "Pay", Result: number, Args: []format.Type{number, number, number, number}}).Append(nil, v))
	add((&format.VariableDescriptor{Name: "x", Type: number}).Append(nil, v))
	add((&format.AccessPath{Steps: []format.AccessStep{{Kind: format.AccessVariable}}}).Append(nil, v))
	words := []string{"shop.go", "shop", "Pay", "id", "list", "m", "_"}
	for id, word := range words {
		add((&format.StringObject{ID: int32(id), Value: word}).Append(nil, v))
	}
	const parameter = format.ActiveParameter
	add((&format.CodeLocation{ID: 0, File: 0, Class: 1, Method: 2, Line: 3, Path: -1, Locals: []int32{3, 4, 5, 6},
		LocalKinds: []format.ActiveKind{parameter, parameter, parameter, parameter}}).Append(nil, v))
	add((&format.CodeLocation{ID: 1, File: 0, Class: -1, Method: -1, Line: 4, Path: -1, ArgNames: []int32{0, -1, -1, -1}}).Append(nil, v))

	of := func(n int64) format.Value { return format.Value{Kind: format.ValueInt, Bits: n} }
	list := format.Value{Kind: format.ValueArray, ClassID: 1, Bits: format.ArrayBits(7, 20), Captured: &format.Captured{Elements: []format.Value{of(3), of(4)}}}
	entries := format.Value{ClassID: 2, Bits: 8, Captured: &format.Captured{Fields: []format.CapturedField{{Name: "len", Value: of(1)}, {Name: "a", Value: list}}}}
	order := format.Value{ClassID: 3, Captured: &format.Captured{Fields: []format.CapturedField{{Name: "L", Value: list}}}}
	call := func(location int32, args ...format.Value) format.Point {
		return format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: location, Target: format.Null(), Args: args}
	}
	for _, x := range []struct {
		point      format.Point
		text, wide string
	}{
		{call(-1, of(1), list, entries, of(2)), "shop.Pay(1, []int@7, map[string]int@8, 2): []int@7",
			"shop.Pay(id=1, list=[]int@7{3, 4, …+18}, m=map[string]int@8{len:1, a:[]int@7}, 2): []int@7{3, 4, …+18}"},
		{call(1, of(1), order, of(3), of(2)), "shop.Pay(x ➜ 1, Order{L:[]int@7}, 3, 2): []int@7",
			"shop.Pay(x ➜ 1, list=Order{L:[]int@7}, m=3, 2): []int@7{3, 4, …+18}"},
		{call(-1, of(1)), "shop.Pay(1): []int@7", "shop.Pay(1): []int@7{3, 4, …+18}"},
	} {
		f := &format.Footer{Result: list}
		text, spans := c.AppendSpans(nil, nil, &x.point, f, format.Parent{}, false)
		if string(text) != x.text {
			t.Errorf("%s, want %s", text, x.text)
		}
		extras := c.Extras(&x.point, f, format.Parent{}, false)
		wide, styles := format.WithExtras(string(text), spans, extras)
		if wide != x.wide || string(format.AppendWithExtras(nil, text, extras)) != wide {
			t.Errorf("%s, want %s", wide, x.wide)
		}
		at := 0
		for _, s := range styles {
			if s.Start != at || s.End <= at {
				t.Fatalf("spans of %q: %v", wide, styles)
			}
			at = s.End
		}
		if at != len(wide) {
			t.Errorf("spans of %q end at %d", wide, at)
		}
		for i, r := range string(text) {
			from, to := i, i+len(string(r))
			if got := format.AmongExtras(extras, [2]int{from, to}); wide[got[0]:got[1]] != string(r) {
				t.Errorf("%q at %d of %q is %q", r, i, text, wide[got[0]:got[1]])
			}
		}
	}
	leaf := format.Point{Class: format.ClassVariableWrite, Diff: format.DiffNone, Location: -1, Value: list}
	if got := c.Extras(&leaf, nil, format.Parent{}, false); len(got) != 1 || got[0].At != len("x = []int@7") {
		t.Errorf("of a variable: %+v", got)
	}
	if got := c.Extras(&format.Point{Class: format.ClassCall, Location: -1, Target: format.Null()}, nil, format.Parent{}, false); got != nil {
		t.Errorf("of a call without arguments: %+v", got)
	}
}
