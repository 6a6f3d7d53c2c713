package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// stored drives an explorer of a packed diff.
func stored(t *testing.T, name string, width, height int) *driver {
	t.Helper()
	return drive(t, uitest.Open(t, formattest.Unpack(t, name), lazy.Options{NoWrite: true}), width, height, Options{})
}

// TestDifferences: in a diff, keys go from one place that differs to the next, and around; the marks of a row as it was
// and as it is are not the same. In another trace it says so.
func TestDifferences(t *testing.T) {
	seen := make(map[format.DiffStatus]bool)
	for _, name := range []string{"diff-gson.packedtrace", "diff-jackson.v27.packedtrace"} {
		d := stored(t, name, 100, 30).has("difference 1 of ")
		for wrapped := false; !wrapped; wrapped = strings.Contains(message(d), "wrapped to the top") {
			n := d.m.tree.Out.Cursor.Node
			on := n.Point().Diff
			if around := n.Parent().Point(); on == format.DiffUnchanged || around != nil && on != format.DiffEditedNew && around.Diff == on {
				t.Fatalf("the row does not differ, or only with the one around: %s", d.cursorText())
			}
			seen[on] = true
			mark := map[format.DiffStatus]string{format.DiffRemoved: "▌-", format.DiffAdded: "▌+", format.DiffEditedOld: "▌!", format.DiffEditedNew: "▌!"}[on]
			d.has(mark).keys("n")
		}
		d.has("difference 1 of ").keys("N").has("wrapped to the bottom")
		d.keys("2 D").has("difference 2 of ").command("previous-difference").has("difference 1 of ")
		d.keys("/").typed("zzz").keys("enter esc").has("difference 1 of ").keys("n").has("difference 2 of ")
		d.keys("/").typed("Gson").keys("enter n D").has("difference ", " of ")
		if d.keys("r").keys("n").has("difference "); d.m.tree.Out.Tree.Folded() {
			t.Error("the view is not raw")
		}
	}
	if len(seen) != 3 {
		t.Errorf("differences of the kinds %v only", seen)
	}
}

// TestDifferenceScreens: a stored diff opens at its first change, and tells of what it is and how many differences there are. The
// row and the details of an edited one tell what is different.
func TestDifferenceScreens(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}} {
		d := stored(t, "diff-jackson.v27.packedtrace", size[0], size[1])
		d.has("84 differences · 56 edited · 7 removed", "difference 1 of 84")
		d.keys("8 n d").has(`arg 1      text "tea a" → "tea b"`)
		d.golden(fmt.Sprintf("diff-%d", size[0]))
		d.keys("k").has(`arg 1      text "tea a" → "tea b"`, "▌!")
	}
	stored(t, "diff-gson.packedtrace", 120, 24).has("diff  A old.stream.bin ↔ B new.stream.bin  7 differences · 2 edited · 5 added", "k = 2  was 1").golden("diff-names")
}

// TestDifferenceLeads: the cursor stays where it is once a key was pressed before the first place is known, or if the
// explorer was asked to begin elsewhere.
func TestDifferenceLeads(t *testing.T) {
	r := uitest.Open(t, formattest.Unpack(t, "diff-gson.packedtrace"), lazy.Options{NoWrite: true})
	at := lazy.EventHandle(7)
	if d := drive(t, r, 100, 24, Options{At: &at}).has("7 differences"); eventOf(d) != 7 {
		t.Errorf("the cursor is on #%d", eventOf(d))
	}
	m := New(r, Options{})
	t.Cleanup(m.env.Close)
	d := &driver{t: t, m: m}
	_, cmd := m.Update(tea.WindowSizeMsg{Width: 100, Height: 24})
	d.has("counting").keys("j")
	d.run(cmd)
	if d.has("7 differences"); !m.tree.Out.Cursor.Node.IsThread() && eventOf(d) > 1 {
		t.Errorf("the cursor has gone to #%d", eventOf(d))
	}
}
