package ui

import (
	"strings"
	"testing"

	"tracex/ui/internal/uitest"
)

// TestLargest goes down to the largest children, one level and several, and back.
func TestLargest(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "flat.stream"), 100, 24, Options{})
	d.keys("L")
	if got := d.cursorText(); got == "" {
		t.Fatal("no cursor")
	}
	d.keys("9 L L").has("no children: ", " goes to the parent, then L to its largest child")
	d = drive(t, uitest.Recorded(t, "flat.stream"), 100, 24, Options{})
	d.keys("g 3 L").has("loop(60000 iterations)")
	if got := d.cursorText(); !strings.Contains(got, "loop(") {
		t.Fatalf("the cursor is on %s", got)
	}
	at := d.cursorText()
	d.keys("[")
	if d.cursorText() == at {
		t.Fatalf("[ did not go back from %s", at)
	}
}

// TestLargestSays: without times, a message tells how much the child holds.
func TestLargestSays(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "flat.stream"), 100, 24, Options{})
	d.keys("g 3 L").has("no times: this is the largest child, 100 % of the data in Load.flat()")
	d.keys("L").has("of the data in loop")
	n := d.m.tree.Out.Cursor.Node
	bytes, of := n.Weight()
	if bytes <= 0 || of <= bytes {
		t.Errorf("an iteration has %d bytes of %d", bytes, of)
	}
	if bytes, of := d.m.tree.Out.Tree.ThreadAt(0).Weight(); bytes != 0 || of != 0 {
		t.Errorf("a thread has %d bytes of %d", bytes, of)
	}
	d = drive(t, timedTrace(t, timedSpec), 100, 24, Options{})
	if d.keys("g L"); strings.Contains(d.screen(), "largest child") {
		t.Errorf("with times the duration says it: %s", d.screen())
	}
}
