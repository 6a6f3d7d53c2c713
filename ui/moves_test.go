package ui

import (
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/uitest"
)

// TestSlide: → at a leaf scrolls only its line, while more text is hidden; ← scrolls back, as
// does leaving the row.
func TestSlide(t *testing.T) {
	const start, end, other = "new Point(1, 0, 2", ": Point@23076423", "new Point(3, 4): Point@1006"
	d := drive(t, uitest.Recorded(t, "kotlin.stream"), 40, 20, Options{})
	check := func(what string, first bool) {
		t.Helper()
		s := d.screen()
		if strings.Contains(s, start) != first || strings.Contains(s, end) == first || !strings.Contains(s, other) {
			t.Fatalf("%s:\n%s", what, s)
		}
	}
	d.keys("j")
	check("before", true)
	d.keys("l l")
	check("scrolled to its end", false)
	d.keys("l").has("no children")
	check("scrolled no further", false)
	d.keys("h h")
	check("scrolled back", true)
	d.keys("l l j k")
	check("left and come back", true)
}

// TestNoSibling: a key that leads nowhere shows a message.
func TestNoSibling(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "kotlin.stream"), 80, 24, Options{})
	d.keys("K").has("no previous sibling").keys("J").has("no next sibling")
	if d.keys("g J"); strings.Contains(d.screen(), "no next sibling") {
		t.Error("there is a next thread")
	}
	d.keys("99J").has("Thread 6")
}

// TestNoLocations: i shows no code locations if none were recorded, and tells so.
func TestNoLocations(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "allkinds.dump"), 120, 30, Options{})
	d.keys("i")
	rows := 0
	for _, row := range d.m.tree.Out.Rows {
		if n := row.Node; n != nil && n.Point() != nil {
			rows++
			if text, _ := d.m.tree.Out.Text(n); strings.HasSuffix(text, " at :0") {
				t.Errorf("%q", text)
			}
		}
	}
	if rows == 0 || !strings.Contains(d.screen(), " at All.kt:10") {
		t.Errorf("%d rows\n%s", rows, d.screen())
	}
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 10})
	r := uitest.Open(t, path, lazy.Options{})
	none := false
	r.WithContext(func(c *format.Context) { none = c.Counts()[format.KindCodeLocation] == 0 })
	d = drive(t, r, 120, 30, Options{})
	if told := strings.Contains(d.keys("i").screen(), "no source locations"); told != none {
		t.Errorf("no locations: %v, and told: %v", none, told)
	}
}

// TestUnload frees memory, and loads again what was unloaded.
func TestUnload(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	before := d.screen()
	d.keys("E")
	d.fire(env.StatusMsg{})
	many := d.m.tree.Out.Tree.Stats()
	d.keys("x").has("unloaded ", "unloaded")
	few := d.m.tree.Out.Tree.Stats()
	if few.Loaded >= many.Loaded/10 || few.Bytes >= many.Bytes/10 || few.Forgotten == 0 {
		t.Errorf("before %+v, after %+v", many, few)
	}
	d.keys("l")
	d.fire(env.StatusMsg{})
	tail := func(s string) string { return strings.Join(strings.Split(s, "\n")[2:22], "\n") }
	if got := tail(d.screen()); got != tail(before) {
		t.Errorf("loaded again:\n%s\nbefore:\n%s", got, tail(before))
	}
}

// TestBudget walks with a small budget, which is kept.
func TestBudget(t *testing.T) {
	r := uitest.Open(t, unpackFlat(t), lazy.Options{NoWrite: true, Memory: 200 << 10})
	d := drive(t, r, 80, 24, Options{})
	d.keys("G l G l")
	for range 300 {
		d.keys("pgdown")
		if st := d.m.tree.Out.Tree.Stats(); st.Bytes > st.Budget {
			t.Fatalf("%d bytes of a budget of %d", st.Bytes, st.Budget)
		}
	}
	if d.m.tree.Out.Tree.Stats().Forgotten == 0 {
		t.Error("nothing was unloaded: the test shows nothing")
	}
}
