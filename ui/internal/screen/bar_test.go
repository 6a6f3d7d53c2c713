package screen

import (
	"testing"

	"tracex/lazy/query/display"
)

// TestBar: the cursor's line has one background from edge to edge, faint text on it is plain, and
// a match of a search does not look like the rest of the line.
func TestBar(t *testing.T) {
	for _, c := range []struct {
		bar  display.Bar
		want string
	}{
		{DarkBar, "\x1b[48;5;236mab\x1b[0;48;5;236;1mc\x1b[0;1;4;30;43md\x1b[0;48;5;236m  \x1b[m"},
		{LightBar, "\x1b[48;5;254mab\x1b[0;48;5;254;1mc\x1b[0;1;4;30;43md\x1b[0;48;5;254m  \x1b[m"},
		{ReverseBar, "\x1b[7mab\x1b[0;7;1mc\x1b[0;1;4;30;43md\x1b[0;7m  \x1b[m"},
	} {
		g := Unicode
		g.Bar = c.bar
		l := NewLine(6, &g)
		l.Cursor = true
		l.Put("a", Plain).Put("b", Faint)
		l.Spans("cd", Whole("cd"), Always(Bold), [][2]int{{1, 2}}, 0)
		if got := l.End(); got != c.want {
			t.Errorf("bar %d:\n%q, want\n%q", c.bar, got, c.want)
		}
	}
}
