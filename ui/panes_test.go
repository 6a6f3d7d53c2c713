package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// sources returns a directory with the file of the first calls of a trace, whose lines tell their numbers.
func sources(t *testing.T) string {
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, "int line = %d; // main(\n", i+1)
	}
	return uitest.WriteFiles(t, map[string]string{"Libs.java": lines.String()})
}

// TestSourcePane: the source of the call around the row is shown, with what the call did at its lines and the row's own
// line marked, and follows the cursor; Enter on a line goes to what happened there.
func TestSourcePane(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 130, 40, Options{Source: []string{sources(t)}})
	d.keys("j j j S").has("source  ", "Libs.java", "Libs.gson #0", " 7▌ int line = 7;")
	d.keys("j j").has(" 8▌")
	if d.keys("d").has("─ details", " 8▌"); d.m.frame.layout.Panes[screen.DetailsPane].Width == 0 {
		t.Error("the details are not below the source")
	}
	d.keys("g").has("The source of a call is shown while")
	d.keys("j j j ctrl+w w").has("▌ source")
	d.keys("j j enter").has("#")
	if at := d.m.source.Cursor(); at < 0 {
		t.Errorf("the cursor is at line %d of the pane", at)
	}
	d.keys("g enter").has("nothing was recorded at this line of the call")
	d.keys("esc S d")
	if strings.Contains(d.screen(), "int line") {
		t.Error("the pane is still shown:\n" + d.screen())
	}
	d = drive(t, uitest.Recorded(t, "gson.dump"), 130, 40, Options{Source: []string{t.TempDir()}})
	d.keys("j j j S").has("Libs.java is not under")
	d = drive(t, uitest.Recorded(t, "gson.dump"), 130, 40, Options{Source: []string{uitest.WriteFiles(t, map[string]string{"Libs.java": "one\n"})}})
	d.keys("j j j S").has("another")
}

// TestPanes: the panes get other sizes by keys and by the mouse, one alone is shown by zoom, and one of them has the keys.
func TestPanes(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 130, 40, Options{Source: []string{sources(t)}})
	if d.keys("ctrl+w z").has("there is only the tree"); d.m.panes.zoom {
		t.Error("the tree is zoomed")
	}
	d.keys("5 j d")
	width := func() int { return d.m.frame.layout.Panes[screen.DetailsPane].Width }
	was, row := width(), d.m.tree.Out.Cursor
	if d.keys("ctrl+w <"); width() != was+4 { // the tree has the keys, and gets narrower
		t.Errorf("%d columns after %d", width(), was)
	}
	d.keys("ctrl+w w").has("▌ details", "Enter value of the line", "Esc to the tree")
	d.keys("?").has("You are here: details").keys("esc")
	if d.keys("ctrl+w > j j G k ctrl+d ctrl+u pgdown g"); width() != was+8 || d.m.tree.Out.Cursor != row {
		t.Errorf("%d columns after %d, the tree is at %v", width(), was, d.m.tree.Out.Cursor)
	}
	if d.keys("ctrl+w z"); d.m.frame.layout.Side != screen.Only {
		t.Error("the details are not zoomed")
	}
	if d.keys("ctrl+w z ctrl+w ="); width() != was {
		t.Errorf("%d columns, not %d as at first", width(), was)
	}
	if d.keys("esc j"); d.m.tree.Out.Cursor == row || d.m.panes.keys != screen.TreePane {
		t.Error("the tree has not got the keys back")
	}
	l := d.m.frame.layout
	d.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: l.TreeWidth, Y: l.Top + 3})
	d.send(tea.MouseMotionMsg{Button: tea.MouseLeft, X: 60, Y: 20})
	d.send(tea.MouseReleaseMsg{Button: tea.MouseLeft, X: 60, Y: 20})
	d.send(tea.MouseMotionMsg{X: 90, Y: 20})
	if d.m.frame.layout.TreeWidth != 60 {
		t.Errorf("the divider was dragged to %d", d.m.frame.layout.TreeWidth)
	}
	d.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 100, Y: 10})
	if d.m.panes.keys != screen.DetailsPane || d.m.details.Cursor() != 10-d.m.frame.layout.Top {
		t.Errorf("pane %d has the keys, on its line %d", d.m.panes.keys, d.m.details.Cursor())
	}
	d.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 10, Y: 10})
	if d.command("panes wider"); d.m.frame.layout.TreeWidth != 64 {
		t.Errorf("the tree has %d columns", d.m.frame.layout.TreeWidth)
	}
	d.command("panes bigger").has("no change bigger: there are next, wider").keys("esc ctrl+w q")
	if d.m.details.On() || d.m.panes.keys != screen.TreePane {
		t.Error("the details are not closed")
	}
	d.resize(80, 24)
	d.keys("d")
	lines := d.m.frame.layout.Tree
	if d.keys("ctrl+w +"); d.m.frame.layout.Tree != lines+2 {
		t.Errorf("%d lines of the tree after %d", d.m.frame.layout.Tree, lines)
	}
	if d.keys("ctrl+w w ctrl+w +"); d.m.frame.layout.Tree != lines {
		t.Errorf("%d lines of the tree after %d", d.m.frame.layout.Tree, lines)
	}
}

// TestPanesRemembered: the next session has the same panes with the same sizes.
func TestPanesRemembered(t *testing.T) {
	d := driveNoted(t, gsonFile(t), Options{})
	d.resize(130, 40)
	d.keys("j j d S ctrl+w < ctrl+w <")
	size := d.m.frame.layout.TreeWidth
	d = d.again(t, Options{})
	d.resize(130, 40)
	if l := d.m.frame.layout; l.TreeWidth != size || l.Panes[screen.SourcePane].Width == 0 || l.Panes[screen.DetailsPane].Width == 0 {
		t.Errorf("%+v; the tree had %d columns", l, size)
	}
}

// TestPanesAside: where a pane has room only instead of the tree, one of the last session leaves the tree there until
// its key is pressed, a place chosen in a list shows the tree, and the bottom line tells how to get back to it.
func TestPanesAside(t *testing.T) {
	trace := gsonFile(t)
	d := driveNoted(t, trace, Options{})
	d.keys("j j d")
	if err := d.m.leave(); err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{40, 10}, {50, 30}} {
		d = driveNoted(t, trace, Options{})
		d.resize(size[0], size[1])
		covered := func(want bool) {
			t.Helper()
			if d.screen(); want != (d.m.frame.layout.Side == screen.Only) {
				t.Errorf("%v: the tree is covered: %v\n%s", size, !want, d.screen())
			}
		}
		covered(false)
		d.keys("esc")
		covered(false)
		d.keys("d").has("Esc tree")
		covered(true)
		d.keys("esc")
		covered(false)
		d.keys("d S").has("Esc tree")
		covered(true)
		d.keys("esc") // also from two panes
		covered(false)
		d.keys("d ctrl+w w")
		covered(true)
		d.keys("esc")
		covered(false)
		d.keys("d T")
		covered(true)
		d.keys("enter")
		covered(false)
		if d.keys("d").has("Esc tree").keys("esc"); back(d.m) == "" {
			t.Error("no way back to the table")
		}
		if d.keys("d d T enter d esc"); back(d.m) == "" {
			t.Error("no way back to the table after a look at the details")
		}
	}
}
