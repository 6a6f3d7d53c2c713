package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/table"
	"tracex/ui/internal/flame"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/uitest"
)

// click clicks on the first cell of a text in the line of the screen that has it.
func (d *driver) click(inLine, text string) *driver {
	d.t.Helper()
	for y, line := range strings.Split(d.screen(), "\n") {
		if !strings.Contains(line, inLine) {
			continue
		}
		if before, _, ok := strings.Cut(line, text); ok {
			d.send(tea.MouseClickMsg{X: len([]rune(before)), Y: y, Button: tea.MouseLeft})
			return d
		}
	}
	d.t.Fatalf("no %q in a line with %q:\n%s", text, inLine, d.screen())
	return d
}

// TestClickTable: a click selects a row, a second one is Enter, and one on a column's head sorts by it, a second
// one the other way round.
func TestClickTable(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{}).keys("T")
	s := d.m.env.Front.List().(*tables.Sheet)
	const name = "TypeAdapterFactory.create"
	d.click(name, name)
	if got, row := s.Row(); row < 1 || !strings.HasPrefix(got.RowText(row, d.m.env.Glyphs.Glyphs), "312") {
		t.Errorf("the cursor is on row %d", row)
	}
	d.click("threw  method", "calls").has("by number of calls", "▼ calls")
	d.click("threw  method", "calls").has("▲ calls").keys("S")
	d.click("top ·", "top") // the title is no row
	if d.m.env.Front.List() != s {
		t.Error("a click on the title closes the table")
	}
	if d.click(name, name).click(name, name); d.m.env.Front.List() != nil || !d.m.search.Some() {
		t.Error("a double click is not Enter")
	}
	d.keys("!").click("caught in", "caught in").has("▲ caught in")
	d.keys("esc :").typed("log kind=throw").keys("enter").click("event  thread", "thread").has("this table has one order")
}

// TestClickHead: a click on the head of a column of the tree sorts by it, or says why it does not.
func TestClickHead(t *testing.T) {
	d := drive(t, timedTrace(t, timedSpec), 150, 24, Options{}).keys("g")
	d.click("duration", "start").has("already in the order of the calls")
	d.click("duration", "self").has("cannot be sorted by self, only by duration")
	d.click("duration", "duration").has("sorted by duration (s: call order)", "▼ duration")
	d.click("duration", "start").has("in call order")
	d.click("duration", "share").has("sorted by duration")
}

// TestUnboundInTables: keys that do nothing in a table, a list or a flame say so.
func TestUnboundInTables(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{}).keys("T x")
	d.has("x does nothing here; ? lists the keys").keys("esc :").typed("log kind=throw").keys("enter s").has("this table has one order").keys("p").has("this table has no groups")
	d.keys("esc B m").has("m does nothing here").keys("esc V V x").has("x does nothing here").keys("?").has("keys of the flame", "go there in the tree")
	d.keys("esc").has("flame ·")
}

// TestClickPath: a click on the path goes to a call in it.
func TestClickPath(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{}).keys("E 9 0 j")
	path := strings.Split(d.screen(), "\n")[d.m.frame.layout.Path]
	names := strings.Split(strings.TrimSpace(path), " › ")
	if len(names) < 4 {
		t.Fatalf("a short path: %s", path)
	}
	for i := len(names) - 2; i >= 0; i-- {
		if names[i] == "…" {
			continue
		}
		before := d.m.tree.Out.Cursor
		d.click(path, names[i])
		if got := d.m.tree.Out.ShortName(d.m.tree.Out.Cursor.Node); got != names[i] || d.m.tree.Out.Cursor == before {
			t.Errorf("a click on %q goes to %q", names[i], got)
		}
		d.keys("[")
		if d.m.tree.Out.Cursor != before {
			t.Errorf("[ does not go back from %q", names[i])
		}
	}
}

// TestClickFlame: a click on the strip goes to what the thread did there, one in the flame selects, a second one zooms.
func TestClickFlame(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{}).keys("V")
	at := d.m.tree.Out.Cursor.Node.Position().At
	d.send(tea.MouseClickMsg{X: 70, Y: d.m.frame.layout.StripAt, Button: tea.MouseLeft})
	if got := d.m.tree.Out.Cursor.Node.Position().At; got <= at {
		t.Errorf("a click on the strip goes from %d to %d", at, got)
	}
	d.keys("V")
	s := d.m.env.Front.List().(*flame.Screen)
	line := strings.Split(d.screen(), "\n")[d.m.frame.layout.List.Y+5]
	bar := strings.TrimSpace(strings.Split(line, "┤")[0])
	before, _, _ := s.Selected()
	d.click(line, bar)
	event, from, to := s.Selected()
	if event < 0 || event == before {
		t.Fatalf("a click on %q selects #%d", bar, event)
	}
	d.send(tea.MouseClickMsg{X: len([]rune(strings.SplitAfter(line, bar)[0])) - len([]rune(bar)), Y: d.m.frame.layout.List.Y + 5, Button: tea.MouseLeft})
	if again, a, b := s.Selected(); again != event || a != from || b != to {
		t.Errorf("#%d from %d to %d after zooming, before #%d from %d to %d", again, a, b, event, from, to)
	}
	d.has(" of #")
	d.keys("T esc").has("flame ·")
}

// TestClickMore: a click on what is left out of the path goes to the innermost call of those.
func TestClickMore(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 60, 24, Options{}).keys(": 5 8 3 enter")
	path := func() string { return strings.Split(d.screen(), "\n")[d.m.frame.layout.Path] }
	if before := path(); !strings.Contains(before, "…") {
		t.Fatalf("the path is whole: %s", before)
	}
	rows := screen.Path(d.m.tree.Out.Cursor)
	shown := len(strings.Split(path(), " › ")) - 2 // after the first and what is left out
	d.click(path(), "…")
	if got := d.m.tree.Out.Cursor.Node; got != rows[len(rows)-shown-1] {
		t.Errorf("at %s", d.cursorText())
	}
	if d.click(path(), "Thread"); d.m.tree.Out.Cursor.Node != rows[0] {
		t.Errorf("at %s", d.cursorText())
	}
}

// TestClickHeads: a click on any head of any answer sorts by it, or says why not, also after a row was scrolled sideways.
func TestClickHeads(t *testing.T) {
	r, timed := uitest.Recorded(t, "gson.dump"), timedTrace(t, timedSpec)
	for name, keys := range map[string][]string{
		"top": {"T"}, "top by thread": {"T p p p p"}, "callers": {":callers doPeek"}, "callees": {":callees hasNext"}, "calls": {":calls peek"},
		"groups": {":calls method=peek by ret"}, "throws": {"!"}, "around": {":6278", "U"}, "history": {":6278", "H"}, "state": {":6278", ":state"},
		"log": {`:log kind=throw: "{exc}"`}, "iterations": {"/loop(42 iter", "a"},
	} {
		for i, r := range []*lazy.LazyTraceReader{r, r, timed} {
			if i == 2 && name != "top" && name != "top by thread" {
				continue
			}
			d := drive(t, r, []int{80, 140, 140}[i], 30, Options{})
			for _, k := range keys {
				if k[0] == ':' || k[0] == '/' {
					d.keys(k[:1]).typed(k[1:]).keys("enter")
				} else {
					d.keys(k)
				}
			}
			s, ok := d.m.env.Front.List().(*tables.Sheet)
			if !ok {
				t.Errorf("%s: no table:\n%s", name, d.screen())
				continue
			}
			d.keys("> >")
			heads, at := 0, 0
			shown, _ := s.Row()
			for _, c := range shown.Columns {
				y, head := headLine(d)
				i := strings.Index(head[at:], c.Title+" ")
				if c.In == table.OnlyData || c.Title == "" || i < 0 {
					continue
				}
				heads++
				before, _ := s.Row()
				d.send(tea.MouseClickMsg{X: len([]rune(head[:at+i])), Y: y, Button: tea.MouseLeft})
				at += i + len(c.Title)
				after, _ := s.Row()
				said, _ := d.m.env.Status.Message()
				of := after.Column(c.Key)
				if sorts := after.Sorted == c.Key || c.Kind == table.Share && after.Sorted == after.Columns[of-1].Key; !sorts && said == "" || sorts && after.Rising == before.Rising && after.Sorted == before.Sorted && said == "" {
					t.Errorf("%s: a click on %s sorts by %s:\n%s", name, c.Title, after.Sorted, d.screen())
				}
			}
			if heads < 2 {
				t.Errorf("%s: %d heads:\n%s", name, heads, d.screen())
			}
		}
	}
}

// headLine returns the line with the heads of a table.
func headLine(d *driver) (y int, line string) {
	lines := strings.Split(d.screen(), "\n")
	y = slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "─ ") || strings.HasPrefix(line, "──") })
	return y, lines[y]
}
