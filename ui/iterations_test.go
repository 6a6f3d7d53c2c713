package ui

import (
	"strings"
	"testing"

	"tracex/ui/internal/tables"
	"tracex/ui/internal/uitest"
)

// TestIterations opens the table of a loop by its key and by the command, sorts it, and goes from
// iteration to iteration.
func TestIterations(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{})
	d.keys("/").typed("loop(42 iter").keys("enter")
	loop := d.m.tree.Out.Cursor.Node
	d.keys("a").has("iterations of the loop #", " in Gson.getAdapter", "42 iterations", "first call")
	key := d.screen()
	d.keys("esc :").typed("iterations").keys("enter")
	if d.screen() != key {
		t.Errorf(":iterations shows\n%s\nand a\n%s", d.screen(), key)
	}
	d.keys("s").has("▼ events")
	d.keys("j enter").has("iteration ")
	n := d.m.tree.Out.Cursor.Node
	if n.Parent() != loop || !strings.HasPrefix(d.cursorText(), "<iteration ") {
		t.Fatalf("at %q, not at an iteration of the loop", d.cursorText())
	}
	if d.keys("g n").has("iteration 1 of 42"); d.cursorText() != "<iteration 1>" {
		t.Errorf("n leads to %q", d.cursorText())
	}
	d.keys("n n n n").has("iteration 5 of 42")
	for _, key := range []string{"a", "l j : i t e r a t i o n s enter"} {
		d.keys(key)
		list, _ := d.m.env.Front.List().(*tables.Sheet)
		if of, row := list.Row(); row != 4 {
			t.Errorf("in iteration 5, the cursor of the table is on row %d of %s:\n%s", row+1, of.Title, d.screen())
		}
		d.keys("s").has("▼ events").keys("esc")
	}
	d.keys("l j :").typed("iterations").keys("enter").has("42 iterations", " in Gson.getAdapter")
	d.keys("esc g :").typed("iterations").keys("enter").has("no loop around this row")
}
