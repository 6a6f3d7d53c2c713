package ui

import (
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// TestDifferences: in a diff, a key goes from one row that differs to the next, and around; the marks of a row as it was
// and as it is are not the same. In another trace it says so.
func TestDifferences(t *testing.T) {
	r := uitest.Open(t, formattest.Unpack(t, "diff-gson.packedtrace"), lazy.Options{NoWrite: true})
	d := drive(t, r, 100, 30, Options{}).keys("D").has("difference 1 of ")
	seen := make(map[format.DiffStatus]bool)
	for wrapped := false; !wrapped; wrapped = strings.Contains(message(d), "wrapped to the top") {
		n := d.m.tree.Out.Cursor.Node
		on := n.Point().Diff
		if around := n.Parent().Point(); on == format.DiffUnchanged || around != nil && on == format.DiffAdded && around.Diff == on {
			t.Fatalf("the row does not differ, or only with the one around: %s", d.cursorText())
		}
		seen[on] = true
		mark := map[format.DiffStatus]string{format.DiffRemoved: "▌-", format.DiffAdded: "▌+", format.DiffEditedOld: "▌<", format.DiffEditedNew: "▌>"}[on]
		d.has(mark).keys("D")
	}
	if len(seen) != 3 {
		t.Errorf("differences of the kinds %v only", seen)
	}
	d.has("difference 1 of ").command("previous-difference")
	d.has("wrapped to the bottom").keys("2 D").has("difference 2 of ").keys("N").has("difference 1 of ")
	drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{}).keys("D").has("this trace is no diff of two")
}
