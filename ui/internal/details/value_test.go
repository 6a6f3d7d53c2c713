package details

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/ui/internal/screen"
)

// TestDetailsOfValues: the details of each kind of value, and of its contents.
func TestDetailsOfValues(t *testing.T) {
	c := format.NewContext(format.V27)
	for id, name := range []string{"app.Color", "java.nio.HeapCharBuffer", "java.lang.Error", "[[I", "[Ljava.lang.String;", "Plain"} {
		d := format.ClassDescriptor{ID: int32(id), Name: name}
		b, err := d.Append(nil, format.V27)
		if err == nil {
			_, _, err = c.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	message, frames := "two\nlines\x1b", make([]string, maxFrames+2)
	for i := range frames {
		frames[i] = "a.B.c(D.java:1)"
	}
	for _, test := range []struct {
		v    format.Value
		want []string
	}{
		{format.Value{Kind: format.ValueEnum, ClassID: 0, Text: "RED"}, []string{"Color.RED  enum app.Color"}},
		{format.Value{Kind: format.ValueEnum, ClassID: 0, Absent: true}, []string{"Color.null  enum app.Color (a constant without a name)"}},
		{format.Value{Kind: format.ValueSequence, ClassID: 1, Bits: 7, Text: "ab"}, []string{`HeapCharBuffer@7("ab")  java.nio.HeapCharBuffer`}},
		{format.Value{Kind: format.ValueBigInteger, Text: "12"}, []string{"12  big integer"}},
		{format.Value{Kind: format.ValueBigDecimal, Text: "1.2E-7"}, []string{"1.2E-7  big decimal"}},
		{format.Value{Kind: format.ValueBigDecimal, Text: "main.T"}, []string{"main.T"}},
		{format.Value{Kind: format.ValueArray, ClassID: 3, Bits: format.ArrayBits(5, 1)}, []string{"[[I@5  int[][], 1 element"}},
		{format.Value{Kind: format.ValueArray, ClassID: 4, Bits: format.ArrayBits(5, 0)}, []string{"String;@5  java.lang.String[], 0 elements"}},
		{format.Value{Kind: format.ValueArray, ClassID: 5, Bits: format.ArrayBits(5, 3)}, []string{"Plain@5  3 elements"}},
		{format.Value{Kind: format.ValueObject, ClassID: 5, Bits: 9}, []string{"Plain@9"}},
		{format.Value{Kind: format.ValueUntracked}, []string{"<untracked result>  the recorder did not follow it to its end"}},
		{format.Value{Kind: format.ValueException, ClassID: 2, Bits: 3, Captured: &format.Captured{Message: &message, Frames: frames}},
			append(append([]string{`Error@3("two\nlines\x1b")  java.lang.Error`, "| two", `| lines\x1b`},
				strings.Split(strings.Repeat("at a.B.c(D.java:1)|", maxFrames-1)+"at a.B.c(D.java:1)", "|")...), "and 2 more frames")},
	} {
		w := &writer{sheet: sheet{width: 200, g: &screen.Unicode}, c: c, named: make(map[int32]bool)}
		w.value("value", "", &test.v)
		var got []string
		for i, line := range w.lines {
			text := ansi.Strip(line)
			if i == 0 {
				text = strings.TrimPrefix(text, "value")
			}
			got = append(got, strings.TrimSpace(text))
		}
		if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("%v: got\n%s\nexpected\n%s", test.v.Kind, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}
