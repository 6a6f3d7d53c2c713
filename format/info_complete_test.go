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
