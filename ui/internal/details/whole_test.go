package details

import (
	"strings"
	"testing"

	"tracex/format"
	"tracex/ui/internal/screen"
)

func stringValue(text string) *format.Value {
	return &format.Value{Kind: format.ValueString, Text: text}
}

func rawValue(text string) *format.Value {
	return &format.Value{Kind: format.ValueRawString, Text: text}
}

// TestWhole: what the viewer shows of each kind of value, in 40 cells.
func TestWhole(t *testing.T) {
	c := format.NewContext(format.V22)
	for id, name := range []string{"shop.Order", "[B"} {
		b, err := (&format.ClassDescriptor{ID: int32(id), Name: name}).Append(nil, format.V22)
		if err == nil {
			_, _, err = c.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	deep := format.Value{Kind: format.ValueObject, Captured: &format.Captured{Fields: []format.CapturedField{{Name: "N", Value: format.Value{Kind: format.ValueInt, Bits: 6}}}}}
	for range maxNested + 2 {
		deep = format.Value{Kind: format.ValueObject, Captured: &format.Captured{Fields: []format.CapturedField{{Name: "In", Value: deep}, {Name: format.MoreFields}}}}
	}
	bytes := format.Value{Kind: format.ValueArray, ClassID: 1, Bits: format.ArrayBits(7, 9), Captured: &format.Captured{}}
	for _, b := range "\x00Go\x7f" {
		bytes.Captured.Elements = append(bytes.Captured.Elements, format.Value{Kind: format.ValueByte, Bits: int64(b)})
	}
	for name, test := range map[string]struct {
		v     *format.Value
		other bool
		want  string
	}{
		"json":        {stringValue(` {"a" : [1, {"b":"x, }\" y"}], "c":{}, "d": [ ]}`), false, "{|  \"a\" : [|    1,|    {|      \"b\":\"x, }\\\" y\"|    }|  ],|  \"c\":{},|  \"d\": [ ]|}"},
		"json, lines": {stringValue("[\n  1,\n  2\n]\n"), false, "[|  1,|  2|]"},
		"json, cut":   {stringValue(`{"id":7,"item":"app…+1200`), false, `{|  "id":7,|  "item":"app|and 1,200 more bytes, which the |recorder left out`},
		"no json":     {stringValue("[INFO] {a, b}"), false, "[INFO] {a, b}"},
		"a number":    {stringValue("12"), false, "12"},
		"lines":       {stringValue("one\r\n\ttwo\n\nthree"), false, "one|    two||three"},
		"long":        {stringValue(strings.Repeat("a word ", 10) + "and a word"), false, "a word a word a word a word a word a |word a word a word a word a word and |a word"},
		"empty":       {stringValue(""), false, "|it is empty"},
		"cut":         {stringValue("a word…+1"), false, "a word|and 1 more byte, which the recorder |left out"},
		"as bytes":    {stringValue("a word\n"), true, "000000  61 20 77 6f  a wo|000004  72 64 0a     rd."},
		"dump":        {stringValue("\x00\x01ab\u202e"), false, "000000  00 01 61 62  ..ab|000004  e2 80 ae     ..."},
		"as a text":   {stringValue("a\x00"), true, "a\x00"},
		"no UTF-8":    {stringValue("a\ufffd"), false, "000000  61 ef bf bd  a...|ef bf bd is what the recorder wrote |for bytes that are no UTF-8"},
		"escapes":     {stringValue("\x1b[31mred\x1b[0m"), false, "\x1b[31mred\x1b[0m"},

		"literal":  {rawValue(`&Order{ID:2, Item:"a "b" {c,}", Tags:[]string{"x", …+3}, M:map[string]int{"k":1}, F:func(int, string), A:[2]int{1, 2}}`), false, `&Order{|  ID:2,|  Item:"a "b" {c,}",|  Tags:[]string{|    "x",|    and 3 more elements|  },|  M:map[string]int{|    "k":1|  },|  F:func(int, string),|  A:[2]int{|    1,|    2|  }|}`},
		"damaged":  {rawValue(`}]{"`), false, `}]{|  "`},
		"go bytes": {rawValue(`[]byte(0x8950..., 50 bytes)`), false, "000000  89 50        .P|and 48 more bytes, which the |recorder left out"},
		"go text":  {rawValue(`[]byte("GET /")`), false, "GET /"},
		"go JSON":  {rawValue(`[]byte(0x7b2261223a317d)`), false, "{|  \"a\":1|}"},
		"message":  {rawValue("java.lang.Error: no { in \"x\""), false, "java.lang.Error: no { in \"x\""},
		"enum":     {rawValue("RED"), false, "RED"},
		"bytes":    {&bytes, false, "[B@7? byte[], 9 elements|000000  00 47 6f 7f  .Go.|and 5 more bytes, which the recorder |left out"},
		"int":      {&format.Value{Kind: format.ValueInt, Bits: 12}, false, "12"},
		"struct": {&deep, false, "Order  shop.Order|  .In = Order|    .In = Order|      .In = Order|        .In = Order|          .In = Order|            .In = Order|              .N = 6|" +
			"            and more fields|          and more fields|        and more fields|      and more fields|    and more fields|  and more fields"},
	} {
		w := writer{sheet: sheet{width: 40, g: &screen.Unicode, whole: true}, c: c, named: make(map[int32]bool)}
		w.contents(test.v, test.other)
		want := strings.ReplaceAll(strings.Replace(test.want, "[B@7? ", "", 1), "|", "\n")
		if got := plain(w.items); got != want {
			t.Errorf("%s: got\n%s\nexpected\n%s", name, got, want)
		}
	}
}

// TestWholeIsBounded: there is an end to the lines of a large value, which says so.
func TestWholeIsBounded(t *testing.T) {
	for _, text := range []string{strings.Repeat("a\n", 2*maxWhole), strings.Repeat("\x00", 64*maxWhole), "{" + strings.Repeat("1,", 2*maxWhole), strings.Repeat("{", 2*maxWhole)} {
		w := writer{sheet: sheet{width: 40, g: &screen.Unicode, whole: true}, c: format.NewContext(format.V22)}
		w.contents(rawValue(text), false)
		if n := len(w.items); n != maxWhole+1 {
			t.Errorf("%d lines of %.5q", n, text)
		}
	}
}
