package tree

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// node returns the row of a node that took 12 ms of 60, after applying change.
func node(change func(r *Row)) *Row {
	r := newRow(&lazy.Line{
		Row: lazy.Row{Node: new(lazy.Node), Depth: 1}, Text: "f(1): 2", Count: 7, CountKnown: true, CountExact: true,
		Timed: true, Time: lazy.Time{Duration: 12_000_000}, Whole: 60_000_000, Self: 3_000_000, SelfKnown: true, SelfExact: true,
	})
	change(&r)
	return &r
}

// TestRow draws rows: marks, columns, and gaps, in trees of several widths.
func TestRow(t *testing.T) {
	timed, plain := &View{Glyphs: &screen.Unicode, Spinner: "*", Timed: true}, &View{Glyphs: &screen.Unicode, Spinner: "*"}
	moved := func(r *Row) { r.Change, r.Diff = "» moved to a.Method", format.DiffRemoved }
	gap := func(err error) *Row {
		r := newRow(&lazy.Line{Row: lazy.Row{Depth: 1, From: 0, To: 2048}})
		r.Err = err
		return &r
	}
	for _, c := range []struct {
		name  string
		v     *View
		row   *Row
		width int
		want  string
	}{
		{"not loaded", plain, node(func(r *Row) {}), 50, "    ▹ f(1): 2                                  7"},
		{"collapsed", plain, node(func(r *Row) { r.Loaded = true }), 30, "    ▸ f(1): 2"},
		{"expanded", plain, node(func(r *Row) { r.Expanded = true }), 30, "    ▾ f(1): 2"},
		{"sorted", plain, node(func(r *Row) { r.Expanded, r.Order = true, lazy.OrderWeight }), 30, "    ▼ f(1): 2"},
		{"a leaf", plain, node(func(r *Row) { r.Leaf = true }), 30, "      f(1): 2"},
		{"being loaded", plain, node(func(r *Row) { r.Loading = true }), 30, "    * f(1): 2"},
		{"at least", plain, node(func(r *Row) { r.CountExact = false }), 50, "    ▹ f(1): 2                                ≥ 7"},
		{"too narrow for its text", plain, node(func(r *Row) {}), 10, "    ▹ f(1…"},
		{"moved", plain, node(moved), 40, "    ▹ f(1): 2  » moved to a.Method"},
		{"moved, without room for where", plain, node(moved), 20, "    ▹ f(1): 2  »"},
		{"edited, without room for what changed", plain, node(func(r *Row) { moved(r); r.Diff = format.DiffEditedNew }), 20, "    ▹ f(1): 2"},
		{"a duration", timed, node(func(r *Row) {}), 50, "    ▹ f(1): 2                            12.0 ms"},
		{"the part of a duration that is known", timed, node(func(r *Row) { r.Least = true }), 50, "    ▹ f(1): 2                           ≥12.0 ms"},
		{"with a share", timed, node(func(r *Row) {}), 60, "    ▹ f(1): 2                               12.0 ms   20 %"},
		{"with all; a thread has no time in itself", timed, node(func(r *Row) {}), 90, "    ▹ f(1): 2                                          12.0 ms            20 %         7"},
		{"a gap", plain, gap(nil), 40, "    * loading 2.0 KiB of the trace"},
		{"a gap left", plain, gap(context.Canceled), 80, "    ⋯ not loaded, 2.0 KiB of the trace: stopped; :toggle loads it"},
		{"a gap that failed", plain, gap(errors.New("odd")), 80, "    ⚠ cannot be read: odd (:toggle tries again)"},
	} {
		line := ansi.Strip(c.v.Draw(c.row, Indent{0, 2, 0}, c.width))
		if w := ansi.StringWidth(line); w != c.width {
			t.Errorf("%s: %d cells, not %d", c.name, w, c.width)
		}
		if got := strings.TrimRight(line, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestCursor: the cursor's row is marked, and no other.
func TestCursor(t *testing.T) {
	r := node(func(*Row) {})
	v := &View{Glyphs: &screen.Unicode, Cursor: r.Row}
	if line := ansi.Strip(v.Draw(r, Indent{0, 2, 0}, 30)); !strings.HasPrefix(line, "▌   ▹ f(1)") {
		t.Errorf("%q", line)
	}
	if line := ansi.Strip(v.Draw(node(func(*Row) {}), Indent{0, 2, 0}, 30)); strings.Contains(line, "▌") {
		t.Errorf("%q", line)
	}
}

// TestChildrenInFewDigits: a large number of children fits its column.
func TestChildrenInFewDigits(t *testing.T) {
	v := &View{Glyphs: &screen.Unicode}
	if text, _ := childrenCell(v, &lazy.Line{Count: 123_456, CountKnown: true, CountExact: true}, 6); text != "123.5 k" {
		t.Errorf("%q", text)
	}
}

// TestHidden: text that does not fit in a row can be scrolled to.
func TestHidden(t *testing.T) {
	v := &View{Glyphs: &screen.Unicode}
	r := node(func(r *Row) { r.Shown = strings.Repeat("x", 40) })
	if n := v.Hidden(r, Indent{0, 2, 0}, 30); n != 40-30+6 {
		t.Errorf("%d cells", n)
	}
	if n := v.Hidden(node(func(*Row) {}), Indent{0, 2, 0}, 30); n != 0 {
		t.Errorf("%d cells of what fits", n)
	}
}

// TestGuides: deep rows have lines down from their ancestors, of which each is below the mark of its
// ancestor; where levels are narrow, only some have one.
func TestGuides(t *testing.T) {
	for _, c := range []struct {
		depth  int
		in     Indent
		g      *screen.Glyphs
		prefix string
	}{
		{3, Indent{0, 2, 0}, &screen.Unicode, "        ▹"},
		{4, Indent{0, 2, 0}, &screen.Unicode, "        │ ▹"},
		{6, Indent{0, 2, 0}, &screen.Unicode, "        │ │ │ ▹"},
		{6, Indent{0, 2, 0}, &screen.ASCII, "        | | | >"},
		{10, Indent{0, 1, 0}, &screen.Unicode, "      │   │ ▹"},
		{10, Indent{5, 1, 0}, &screen.Unicode, "     │ ▹"},
	} {
		v := &View{Glyphs: c.g}
		line := ansi.Strip(v.Draw(node(func(r *Row) { r.Depth = c.depth }), c.in, 60))
		if !strings.HasPrefix(line, c.prefix+" f(1)") {
			t.Errorf("depth %d, %v: %q, want %q", c.depth, c.in, line, c.prefix)
		}
		if at := len([]rune(c.prefix)) - 1; at != c.in.Of(c.depth) {
			t.Errorf("depth %d, %v: the mark is in column %d, not %d", c.depth, c.in, at, c.in.Of(c.depth))
		}
	}
}

// TestIndent: indentation takes at most a third of the width, whatever the depth.
func TestIndent(t *testing.T) {
	for _, c := range []struct{ depth, width, of1, deepest int }{{5, 90, 4, 12}, {20, 90, 3, 22}, {100, 90, 2, 32}} {
		in := indentFor(c.depth, c.width)
		if in.Of(1) != c.of1 || in.Of(c.depth) != c.deepest {
			t.Errorf("%d levels in %d cells: %d and %d", c.depth, c.width, in.Of(1), in.Of(c.depth))
		}
	}
}
