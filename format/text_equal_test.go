package format_test

import (
	"testing"

	"tracex/format"
)

// A call that stands for equal siblings says how many; any other call of such a name is printed as it is.
func TestEqualRow(t *testing.T) {
	for _, v := range []format.Version{format.V22, format.V27} {
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
		for id, name := range []string{format.DiffClass, "com.acme.Main"} {
			add((&format.ClassDescriptor{ID: int32(id), Name: name}).Append(nil, v))
			add((&format.MethodDescriptor{ID: int32(id), ClassID: int32(id), Name: format.EqualMethod,
				Result: format.Type{Kind: format.TypeVoid}, Args: format.EqualArgs()}).Append(nil, v))
		}
		long := func(n int64) format.Value { return format.Value{Kind: format.ValueLong, Bits: n} }
		for _, x := range []struct {
			method int32
			args   []format.Value
			want   string
			ok     bool
		}{
			{0, []format.Value{long(211), long(3)}, "⋯ 211 equal calls", true},
			{0, []format.Value{long(1), long(1)}, "⋯ 1 equal call", true},
			{0, []format.Value{long(123), long(2)}, "⋯ 123 equal calls", true},
			{0, []format.Value{long(1234567), long(1)}, "⋯ 1,234,567 equal calls", true},
			{0, []format.Value{long(0), long(12)}, "⋯ 12 equal events", true},
			{0, []format.Value{long(0), long(1)}, "⋯ 1 equal event", true},
			{0, []format.Value{long(7)}, "<diff>.<equal>(7)", false},
			{0, []format.Value{long(7), {Kind: format.ValueInt}}, "<diff>.<equal>(7, 0)", false},
			{1, []format.Value{long(2), long(2)}, "Main.<equal>(2, 2)", false},
		} {
			p := format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: x.method, Target: format.Null(), Args: x.args}
			f := &format.Footer{Result: format.Value{Kind: format.ValueVoid}}
			if got := string(c.AppendText(nil, &p, f, format.Parent{}, x.ok)); got != x.want {
				t.Errorf("%v: %q, want %q", v, got, x.want)
			}
			text, spans := c.AppendSpans(nil, nil, &p, f, format.Parent{}, false)
			if n := len(spans); string(text) != x.want || n == 0 || spans[n-1].End != len(text) {
				t.Errorf("%v: %q with spans %v", v, text, spans)
			}
			calls, siblings, ok := format.EqualRow(c, &p)
			if ok != x.ok || ok && (calls != x.args[0].Bits || siblings != x.args[1].Bits) {
				t.Errorf("%v: %q stands for %d calls, %d siblings, %v", v, x.want, calls, siblings, ok)
			}
		}
		leaf := format.Point{Class: format.ClassVariableRead}
		if _, _, ok := format.EqualRow(c, &leaf); ok {
			t.Error("a variable stands for equal siblings")
		}
	}
}
