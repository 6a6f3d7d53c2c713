package ui

import (
	"strings"
	"testing"

	"tracex/ui/internal/uitest"
)

// TestExtendedRows: the names of parameters and what was captured in values are in a row that has room for all of its text. What a
// search found without them it finds with them, and names with their equals sign; what it found is lit.
func TestExtendedRows(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "shapes.stream"), 120, 20, Options{})
	d.keys("j e").has("ack(m=1, n=2): 4")
	lit := func() string {
		t.Helper()
		row := d.m.tree.Rows(d.m.tree.Out.Rows[d.m.tree.Out.Line:][:1], d.m.search.Highlight, d.m.marks.Sign)[0]
		var parts []string
		for _, at := range row.Matches {
			parts = append(parts, row.Shown[at[0]:at[1]])
		}
		return strings.Join(parts, " ")
	}
	for _, x := range []struct{ what, lit string }{{"ack(1, 2): 4", "ack(m=1, n=2): 4"}, {"ack(m=1", "ack(m=1"}, {"1, n=2", "1, n=2"}, {"Shapes.ack(1, 2", "ack(m=1, n=2"}} {
		d.keys("g").search(x.what, false)
		if text := d.cursorText(); text != "ack(1, 2): 4" || lit() != x.lit {
			t.Errorf("/%s goes to %q and lights %q, want %q", x.what, text, lit(), x.lit)
		}
	}
	// All calls have the name: alone it is not looked for.
	d.keys("g").search("1, n", false).has("not found")
	d.keys("g").search("n=2", false)
	d.keys("M").has("ack(m=1, n=2): 4")
}
