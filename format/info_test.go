package format_test

import (
	"bytes"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// The info.txt of a packed trace of version 27 ends with a line for the number of points, even
// if that is unknown.
func TestCompleteInfo(t *testing.T) {
	const head = "Class: a.B\nProperties:\n Points: =1\n\nEnvironment:\n A=b\n"
	points := int64(12)
	for _, c := range []struct{ text, want string }{
		{head, head + "\nPoints: -1\n"},
		{head[:len(head)-1], head + "\nPoints: -1\n"},
		{head + "\n", head + "\nPoints: -1\n"},
		{head + "\nPoints: 12\n", head + "\nPoints: 12\n"},
		{head + "\nPoints: -1\n", head + "\nPoints: -1\n"},
		{"", ""},
	} {
		text := []byte(c.text)
		if got := format.V27.CompleteInfo(text); string(got) != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
		if got := format.V22.CompleteInfo(text); string(got) != c.text {
			t.Errorf("version 22: %q becomes %q", c.text, got)
		}
	}
	for text, want := range map[string]*int64{head: nil, head + "\nPoints: -1\n": nil, head + "\nPoints: 12\n": &points} {
		info, err := format.ParseInfo([]byte(text))
		if err != nil || len(info.Odd) > 0 {
			t.Fatalf("%q: %v, %q", text, err, info.Odd)
		}
		if (info.Points == nil) != (want == nil) || want != nil && *info.Points != *want {
			t.Errorf("%q says %v points, want %v", text, info.Points, want)
		}
	}
	packed := formattest.Recorded(t, "packed.v27.stream.packedtrace")
	text := entry(t, openPacked(t, packed), format.EntryInfo)
	if got := format.V27.CompleteInfo(text); !bytes.Equal(got, text) {
		t.Errorf("a recorded info.txt becomes %q", got)
	}
}

func TestInfoFor(t *testing.T) {
	const old = "Class: a.A\nEnvironment:\n A=B\n"
	const with = old + "\nPoints: 12\n"
	for _, c := range []struct {
		text   string
		v      format.Version
		points int64
		want   string
	}{
		{old, format.V22, 12, old}, {old, format.V27, 12, with}, {old, format.V27, -1, old + "\nPoints: -1\n"},
		{old + "\nPoints: -1\n", format.V27, 12, with}, {old + "\nPoints: -1\n", format.V27, -1, old + "\nPoints: -1\n"},
		{old + "\nPoints: -1\n", format.V22, 12, old},
		{with, format.V22, 12, old}, {with, format.V27, 13, with}, {with, format.V22, -1, old},
		{"Class: a.A", format.V27, 12, "Class: a.A\n\nPoints: 12\n"}, {"Class: a.A\nPoints: 3\n", format.V22, 0, "Class: a.A\n"},
		{"Points: 3", format.V22, 1, ""}, {"", format.V22, 1, ""},
	} {
		if got := string(format.InfoFor([]byte(c.text), c.v, c.points)); got != c.want {
			t.Errorf("%q, version %d, %d: %q, want %q", c.text, c.v, c.points, got, c.want)
		}
	}
	for _, name := range formattest.RecordedNames(t, ".packedtrace") {
		p := openPacked(t, formattest.Recorded(t, name))
		text := string(entry(t, p, format.EntryInfo))
		info, err := p.Info()
		if err != nil {
			t.Fatal(err)
		}
		points := int64(7)
		if info.Points != nil {
			points = *info.Points
		}
		there := string(format.InfoFor([]byte(text), format.V22, points))
		if n, err := format.ParseInfo([]byte(there)); err != nil || n.Points != nil || len(n.Environment) != len(info.Environment) {
			t.Errorf("%s: %v, %v", name, n, err)
		}
		back := string(format.InfoFor([]byte(there), format.V27, points))
		if n, err := format.ParseInfo([]byte(back)); err != nil || n.Points == nil || *n.Points != points {
			t.Errorf("%s: %v, %v", name, n, err)
		}
		if info.Points != nil && back != text || info.Points == nil && there != text {
			t.Errorf("%s: came back as\n%s", name, back)
		}
	}
}
