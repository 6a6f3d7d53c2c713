package ui

import (
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/uitest"
)

// TestPrintCommand: the details have the command that prints the cursor's node, with the number
// that `:` goes to.
func TestPrintCommand(t *testing.T) {
	path := formattest.Unpack(t, "gson.stream.bin", "gson.stream.bin.idx")
	d := drive(t, uitest.Open(t, path, lazy.Options{}), 200, 40, Options{})
	d.keys("1 0 j")
	n := d.m.tree.Out.Cursor.Node
	event := n.Point().Event
	if got, want := d.m.details.Print(), "tracex print --event "+display.Grouped(int64(event))+" "+path; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	d.keys("r g j")
	if got, want := d.m.details.Print(), "tracex print --raw --event 0 --subtree "+path; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	d = drive(t, uitest.Open(t, path, lazy.Options{}), 150, 40, Options{Name: "standard input"})
	d.keys("j d").has("event      #1", "print      tracex print --event 1 FILE", "depth      1")
	d.keys(": 4 2 enter").has("print      tracex print --event 42 FILE")
}
