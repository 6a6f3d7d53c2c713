package ui

import (
	"strings"
	"testing"
)

// TestLargest goes down to where most is, one level and several, and back.
func TestLargest(t *testing.T) {
	d := drive(t, recorded(t, "flat.stream"), 100, 24, Options{})
	d.keys("L")
	if got := d.cursorText(); got == "" {
		t.Fatal("no cursor")
	}
	d.keys("9 L L").has("no children")
	d = drive(t, recorded(t, "flat.stream"), 100, 24, Options{})
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
