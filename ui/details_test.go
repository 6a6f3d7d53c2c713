package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestDetailsOf27 compares what the details show of what version 27 of the format
// has: captured exceptions, watches, calls of super(…), headers of several loops.
func TestDetailsOf27(t *testing.T) {
	for _, story := range []struct {
		name  string
		files []string
		keys  string
	}{
		{"v27-live", []string{"live.v27.packedtrace"}, ": 1 1 enter d"},
		{"v27-live-numbered", []string{"allkinds.v27.dump.bin"}, "r : 1 9 1 enter d"},
		{"v27-thrown", []string{"allkinds.v27.dump.bin"}, "r : 1 9 0 enter d"},
		{"v27-nameless", []string{"allkinds.v27.dump.bin"}, "r : 1 3 8 enter d"},
		{"v27-unfinished", []string{"allkinds.v27.dump.bin"}, "r : 1 3 4 enter d"},
		{"v27-loop", []string{"allkinds.v27.dump.bin"}, "r : 1 9 9 enter d"},
		{"v27-super", []string{"shapes.v27.stream.bin"}, ": 1 7 2 enter d"},
		{"v27-this", []string{"shapes.v27.stream.bin"}, ": 2 2 6 enter d"},
	} {
		t.Run(story.name, func(t *testing.T) {
			r := uitest.Open(t, formattest.Unpack(t, story.files...), lazy.Options{NoWrite: true})
			d := drive(t, r, 120, 80, Options{Name: story.files[0]})
			d.keys(story.keys)
			d.golden(story.name)
		})
	}
}

// TestDetailsOfValues: what the details say of each kind of value, and of what is in it.
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
		s := &sheet{width: 200, g: &screen.Unicode}
		newDescriber(s, c).value("value", "", &test.v)
		var got []string
		for i, line := range s.lines {
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
