package calltrace_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/recorder/convert/calltrace"
)

// TestJSON shows values of JSON texts.
func TestJSON(t *testing.T) {
	for _, c := range [][2]string{
		{`{"b": 1, "a": [1, 2.5, "x", null, true]}`, `{b:1, a:[1, 2.5, "x", null, true]}`},
		{`{}`, `{}`}, {`[]`, `[]`}, {`[[], {}]`, `[[], {}]`},
		{`12345678901234567890123`, `12345678901234567890123`},
		{`-7`, `-7`}, {`1e3`, `1000.0`}, {`"ä\u0000"`, "\"ä\x00\""},
		{`no JSON`, `no JSON`}, {`{"a":`, `{"a":`},
	} {
		for _, v := range versions {
			w := write(t, calltrace.Options{Version: v})
			value := w.JSON([]byte(c[0]))
			must(t, w.Thread("t").Set("x", &value))
			same(t, w.text(), lines("thread t", "  x = "+c[1]))
			w.Discard()
		}
	}
}

// TestValue shows values of decoded texts, and those of the language.
func TestValue(t *testing.T) {
	for _, c := range []struct {
		x    any
		text string
	}{
		{map[string]any{"b": 1, "a": []any{int64(1), 2.5, json.Number("3"), "x", nil, true}}, `{a:[1, 2.5, 3, "x", null, true], b:1}`},
		{uint64(1 << 63), "9223372036854775808"}, {uint32(7), "7"}, {int32(-7), "-7"}, {float32(0.5), "0.5"},
		{calltrace.Unquoted("as it is"), "as it is"}, {struct{}{}, "…"},
	} {
		w := write(t, calltrace.Options{})
		value := w.Value(c.x)
		must(t, w.Thread("t").Set("x", &value))
		same(t, w.text(), lines("thread t", "  x = "+c.text))
	}
}

// TestLargeJSON has values that are too deep, too many, and too long.
func TestLargeJSON(t *testing.T) {
	if formattest.Race {
		t.Skip("one goroutine, and much to do")
	}
	for _, text := range []string{
		strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000),
		"[" + strings.Repeat("1,", 100_000) + "[1]]",
		"{" + strings.Repeat(`"k":{"x":[1]},`, 50_000) + `"k":1}`,
		`"` + strings.Repeat("ä", 1<<20) + `"`,
		`{"` + strings.Repeat("ä", 1<<20) + `":1}`,
		"[" + strings.Repeat(`"`+strings.Repeat("x", 5000)+`",`, 500) + "1]",
	} {
		for _, v := range versions {
			w := write(t, calltrace.Options{Version: v})
			th := w.Thread("t")
			value := w.JSON([]byte(text))
			must(t, th.Set("x", &value))
			var decoded any
			if err := json.Unmarshal([]byte(text), &decoded); err != nil {
				t.Fatal(err)
			}
			value = w.Value(decoded)
			must(t, th.Set("x", &value))
			s := w.finish()
			if got := leftOut(s); !strings.Contains(got, "too large") {
				t.Errorf("%.20s: %s", text, got)
			}
			if got := w.read().text(); len(got) > 600_000 || !strings.Contains(got, "…") {
				t.Errorf("%.20s: %d bytes", text, len(got))
			}
		}
	}
}

// TestContents reads back what is inside of objects and lists.
func TestContents(t *testing.T) {
	for _, v := range versions {
		w := write(t, calltrace.Options{Version: v})
		value := w.JSON([]byte(`{"a": [1, {"b": "x"}], "c": {}}`))
		must(t, w.Thread("t").Set("x", &value))
		w.finish()
		var got string
		for root := range w.read().forest.Threads[0].Roots() {
			var p format.Point
			must(t, root.Point(&p))
			got += contents(&p.Value)
		}
		if want := "{a=[1 {b=x}] c={}}"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func contents(v *format.Value) string {
	var parts []string
	switch in := v.Captured; {
	case in == nil && v.Kind == format.ValueLong:
		return fmt.Sprint(v.Bits)
	case in == nil:
		return v.Text
	case v.Kind == format.ValueArray:
		for i := range in.Elements {
			parts = append(parts, contents(&in.Elements[i]))
		}
		return "[" + strings.Join(parts, " ") + "]"
	default:
		for i := range in.Fields {
			parts = append(parts, in.Fields[i].Name+"="+contents(&in.Fields[i].Value))
		}
	}
	return "{" + strings.Join(parts, " ") + "}"
}
