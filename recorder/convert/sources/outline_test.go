package sources

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestOutline: a key is in the outline that follows values of any size, and the outline is JSON.
func TestOutline(t *testing.T) {
	long := strings.Repeat(`x\u00e4\"ä€😀`, 100_000)
	deep := strings.Repeat(`{"a":[1,{"b":[2,3]},"`+strings.Repeat("y", 300)+`"],"c":`, 500) + "0" + strings.Repeat("}", 500)
	var many strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&many, `{"id":%d,"s":"a\\"},`, i)
	}
	for name, value := range map[string]string{
		"string": `"` + long + `"`, "list": "[" + many.String() + "7]", "object": `{"sourceMaps":[` + many.String() + `null],"` + long + `":{"x":[` + many.String() + "8]}}",
		"deep": deep, "strings": strings.Repeat(`["`+long[:5000]+`",`, 30) + "1" + strings.Repeat("]", 30), "number": "1",
	} {
		for form, text := range map[string]string{
			"object": `{"metadata":` + value + `, "second" : [[1]], "traceEvents":[{"ph":"X"}]}`,
			"list":   `[{"args":` + value + `,"ph":"X"},{"traceEvents":1}]`,
			"lines":  "{\"metadata\":" + value + "}\n{\"traceEvents\":2}\n",
		} {
			got, err := Outline(strings.NewReader(text), func([]byte) bool { return false })
			if err != nil {
				t.Error(err)
			}
			if len(got) > HeadSize || !strings.Contains(string(got), `"traceEvents"`) {
				t.Errorf("%s in %s: %d bytes: %.200q", name, form, len(got), got)
			}
			d := json.NewDecoder(strings.NewReader(string(got)))
			for {
				var x any
				if err := d.Decode(&x); err == io.EOF {
					break
				} else if err != nil {
					t.Errorf("%s in %s: %v", name, form, err)
					break
				}
			}
		}
	}
}

// TestOutlineEnough: no more is read than is needed, and of a pipe nothing is lost.
func TestOutlineEnough(t *testing.T) {
	text := `{"metadata":"` + strings.Repeat("m", 3*HeadSize) + `","traceEvents":[` + strings.Repeat(`{"ph":"X"},`, 100_000) + `1]}`
	c, err := NewContent(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if !IsLongJSON(c.Head()) || IsLongJSON([]byte(text)[:HeadSize-1]) || IsLongJSON([]byte(strings.Repeat("x", HeadSize))) {
		t.Error("it is not known whether it is long")
	}
	o, err := c.Outline(func(o []byte) bool { return strings.Contains(string(o), `"traceEvents"`) })
	if taken := c.Taken(); err != nil || !strings.Contains(string(o), `"traceEvents"`) || taken > 6*HeadSize {
		t.Errorf("%d bytes were read for %.100q", taken, o)
	}
	if got, err := io.ReadAll(c); err != nil || string(got) != text {
		t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
	}
}

// FuzzOutline: whatever a file has, its outline is bounded.
func FuzzOutline(f *testing.F) {
	f.Add(`{"a":[1,"\u00e4"],"b":{}}]},,"`)
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := Outline(strings.NewReader(text), func([]byte) bool { return false }); len(got) > len(text) || err != nil {
			t.Errorf("%d bytes of %d", len(got), len(text))
		}
	})
}
