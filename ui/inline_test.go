package ui

import (
	"fmt"
	"testing"

	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// TestLoopOfOneIteration: its row stands for the iteration too. Each match leads n and N to another
// row, the event of the iteration to the loop, and the raw view has a row for it.
func TestLoopOfOneIteration(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{})
	d.filtered("kind=iteration").keys("g")
	inlined := false
	for _, key := range []string{"n", "N"} {
		seen := make(map[lazy.Position]bool)
		for range 60 {
			d.keys(key)
			n := d.m.tree.Out.Cursor.Node
			if n == nil || seen[n.Position()] {
				t.Fatalf("%s leads to %q again", key, d.cursorText())
			}
			seen[n.Position()] = true
			if _, ok := lazy.Inlined(n); ok {
				inlined = true
				d.has("loop(1 iterations)", "match ")
			}
		}
	}
	if !inlined {
		t.Fatal("no loop has one iteration: the test shows nothing")
	}
	d.keys("g backspace")
	for d.keys("/").typed("loop(1 iter").keys("enter"); ; d.keys("n") {
		if _, ok := lazy.Inlined(d.m.tree.Out.Cursor.Node); ok {
			break
		}
	}
	loop := d.m.tree.Out.Cursor.Node
	inner, _ := lazy.Inlined(loop)
	event := loop.Point().Event + 1
	d.keys("g :").typed(fmt.Sprint(event)).keys("enter")
	if got := d.m.tree.Out.Cursor.Node; got != loop {
		t.Errorf("event %d leads to %q", event, d.cursorText())
	}
	d.keys("d").has("shown as the loop's").keys("d r :").typed(fmt.Sprint(event)).keys("enter")
	if got := d.m.tree.Out.Cursor.Node; got.Position() != inner || d.cursorText() != "<iteration 1>" {
		t.Errorf("in the raw view, event %d leads to %q", event, d.cursorText())
	}
	if d.keys("r"); d.m.tree.Out.Cursor.Node.Position() != loop.Position() {
		t.Errorf("back in the folded view, the cursor is on %q", d.cursorText())
	}
}
