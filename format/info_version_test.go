package format_test

import (
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

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
