package ui

import (
	"strings"
	"testing"

	"tracex/ui/internal/uitest"
)

// TestHelpColumns: where there is room the help has two columns, and first what is useful where the user is; a filter
// has its lines below each other.
func TestHelpColumns(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 40, Options{}).filtered("ret=null").keys("?")
	d.has("│  You are here: tree · & ret=null 274 ", "│  n ", "next hit or match").golden("help-120")
	d.keys("/").typed("half a screen")
	for _, line := range strings.Split(d.screen(), "\n") {
		if strings.Contains(line, "half a screen down") && strings.Contains(line, "half a screen up") {
			t.Errorf("a line that passes has two keys: %s", line)
		}
	}
	d.has("half a screen down", "half a screen up").keys("esc esc").step("drop JsonReader.hasNext").step("merge java.util.*")
	d.keys("?").has("· drop JsonR…     Screen").keys("esc").resize(80, 24)
	d.keys("?").has("You are here: tree").keys("G").has("removed, added, edited")
}

// TestHelpOverTable: the help of a table floats over it; where nothing floats, it takes the table's place.
func TestHelpOverTable(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{}).keys("T ?")
	d.has("top · by", "keys of this table")
	d.resize(64, 40) // long texts go on in the next line
	d.has("roots", "package or library, or all but its", "there: the one after")
	d.resize(50, 20)
	if d.has("This table"); strings.Contains(d.screen(), "top · by") {
		t.Errorf("the table is shown:\n%s", d.screen())
	}
}

// TestHelpOfList: ? over a list shows what its keys do, and closes back to it.
func TestHelpOfList(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.stream"), 100, 30, Options{})
	for _, open := range []string{"t", "I", ":help"} {
		if open[0] == ':' {
			d.command(open[1:])
		} else {
			d.keys(open)
		}
		list := d.m.env.Front.List()
		if d.keys("?").has("You are here: list", "Esc closes"); d.m.env.Front.List() == list {
			t.Errorf("%s: ? does nothing", open)
		}
		if d.keys("?"); d.m.env.Front.List() != list {
			t.Errorf("%s: ? does not lead back to the list", open)
		}
		d.keys("esc")
	}
}

// TestHelpResized: what passes a filter is looked for again where lines are broken elsewhere.
func TestHelpResized(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 44, 20, Options{}).keys("T ? / G")
	for _, width := range []int{200, 44, 120} {
		d.resize(width, 20)
		d.has("keys of this table")
	}
}
