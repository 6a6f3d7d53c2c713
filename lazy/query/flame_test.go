package query

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
)

// TestFlamePicture: each line has a cell for each column, and each container is drawn in its own; the
// text is as wide as that. A picture that is not complete says so.
func TestFlamePicture(t *testing.T) {
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Random, N: 900, Seed: 4, Wild: true, Timed: true},
		{Shape: formattest.Random, N: 900, Seed: 5, Wild: true},
		{Shape: formattest.Calls, N: 900, Seed: 6, Timed: true},
	} {
		r := opened(t, formattest.File(t, spec))
		for _, g := range []*display.Glyphs{&display.Unicode, &display.ASCII} {
			for _, columns := range []int{1, 2, 7, 40, 133} {
				var parts int
				o := lazy.FlameOptions{Thread: r.ThreadList().ID(0), Columns: columns, Depth: 12, Tell: func(f lazy.Flame) {
					parts++
					checkPicture(t, NewFlamePicture(r, f, g))
				}}
				f, err := lazy.FlameOf(t.Context(), r, o)
				if err != nil {
					t.Fatal(err)
				}
				if (parts > 0) != (columns > 8) {
					t.Errorf("%d pictures of parts of %d columns", parts, columns)
				}
				checkPicture(t, NewFlamePicture(r, f, g))
			}
		}
	}
}

func checkPicture(t *testing.T, p *FlamePicture) {
	t.Helper()
	if w := ansi.StringWidth(p.Strip()); w != p.Columns {
		t.Errorf("a strip of %d cells, not %d", w, p.Columns)
	}
	drawn := make(map[int]bool)
	for depth, row := range p.Rows() {
		at := 0
		for _, c := range row {
			if c.Left != at || ansi.StringWidth(c.Text) != c.Right-c.Left || strings.ContainsAny(c.Text, "\n\x1b") {
				t.Fatalf("%+v after column %d", c, at)
			}
			at = c.Right
			if c.Unknown != (c.Span < 0 && c.Narrow < 0 && c.Left >= p.Done) {
				t.Errorf("%+v: %d columns are known", c, p.Done)
			}
			if c.Span >= 0 {
				s := p.Spans[c.Span]
				drawn[c.Span] = s.Depth == depth && s.Left == c.Left && s.Right == c.Right
			}
		}
		if at != p.Columns {
			t.Fatalf("a line ends in column %d of %d", at, p.Columns)
		}
	}
	for i, s := range p.Spans {
		if !drawn[i] {
			t.Errorf("%+v is not drawn where it is", s)
		}
	}
	if last := p.Notes(); p.Done < p.Columns && !strings.HasSuffix(last[len(last)-1], "is known so far") {
		t.Errorf("a part says %q", last)
	}
	var out bytes.Buffer
	if err := p.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
	if len(lines) != 1+len(p.Spans)+len(p.Narrow) {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if !json.Valid(line) {
			t.Errorf("%s", line)
		}
	}
}
