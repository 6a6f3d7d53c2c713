package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/search"
	"tracex/ui/internal/uitest"
)

// TestHitListFilterReadings: a filter without matches is tried in the other reading too, and an
// invalid expression matches nothing.
func TestHitListFilterReadings(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 24, Options{})
	d.keys("/").typed("json").keys("enter M /").typed("new.*Writer")
	d.has("none of ", "contains new.*Writer; as a regular expression: ")
	d.keys("ctrl+r").has("regex /new.*Writer_")
	h, _ := d.m.env.Front.List().(*search.HitList)
	if h.Count() == 0 {
		t.Error("nothing passes the expression")
	}
	d.typed("(").has("not a regular expression: a ( is not closed")
	if h.Count() != 0 {
		t.Errorf("%d hits pass what is no expression", h.Count())
	}
	d.keys("esc").has(display.Plural(int64(d.m.search.Hits().Len()), "hit") + " of /json")
}

// TestSearchLimit: a search that stops at its limit of hits tells so, and can continue
// from the last hit.
func TestSearchLimit(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 30_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 120, 24, Options{})
	d.m.search.Most, d.m.search.Every = 5000, 1
	d.search("e", false)
	if n := d.m.search.Hits().Len(); n != 5000 {
		t.Fatalf("%d hits", n)
	}
	d.has("stopped at the limit of 5,000 hits", "% searched; n at the last one continues", "the limit (")
	d.keys("M").has("5,000 hits of /e, the limit (", "% searched)").keys("G enter")
	last := d.m.tree.Out.Cursor.Node.Position()
	if hitShown(d) != 5000 {
		t.Fatalf("at hit %d", hitShown(d))
	}
	d.keys("n")
	if d.m.tree.Out.Cursor.Node.Position().At <= last.At || hitShown(d) != 2 {
		t.Errorf("n went to hit %d at %v, from %v", hitShown(d), d.m.tree.Out.Cursor.Node.Position(), last)
	}
	d.m.tree.Out.Jump(d.m.tree.Out.Cursor)
	at := d.m.search.Hits().At(0).Position
	for d.m.tree.Out.Cursor.Node.Position() != at {
		d.keys("N")
	}
	d.keys("N").has("earlier events were not searched")
}

// TestHitList shows hits with their paths, and goes to the chosen one.
func TestHitList(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 116, 24, Options{})
	d.keys("/").typed("JsonWriter(").keys("enter M")
	d.has("hits of /JsonWriter(", " › Gson.newJsonWriter()")
	d.keys("j j k enter")
	if d.m.env.Front.List() != nil || !strings.Contains(d.cursorText(), "JsonWriter(") || hitShown(d) != 2 {
		t.Errorf("at %q, hit %d", d.cursorText(), hitShown(d))
	}
	all := d.m.search.Hits().Len()
	d.keys("M / z z z z").has("none of "+display.Plural(int64(all), "hit")+" contains zzzz", "0 of "+display.Plural(int64(all), "hit"))
	d.keys("esc esc")
	if d.m.env.Front.List() != nil {
		t.Error("Esc does not close the list")
	}
}

// TestHitListShowsMatches: in every line the match is visible and highlighted, also if the text is
// much longer than its column; the path above belongs to the hit under the cursor.
func TestHitListShowsMatches(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 64, 16, Options{})
	d.search("typeOfSrc", false)
	d.keys("M")
	area := d.m.env.Front.Area
	lines := strings.Split(d.view(), "\n")[area.Y+1 : area.Y+1+min(area.Height-1, d.m.search.Hits().Len())]
	for i, line := range lines {
		lit := "\x1b[4;94mtypeOfSrc"
		if i == 0 {
			lit = "4;30;43mtypeOfSrc"
		}
		if text := strings.ToLower(ansi.Strip(line)); !strings.Contains(text, "typeofsrc") || !strings.Contains(line, lit) {
			t.Errorf("%q", line)
		}
	}
	at := strings.Split(d.screen(), "\n")[1]
	if d.keys("G"); strings.Split(d.screen(), "\n")[1] == at {
		t.Errorf("another hit has the same path: %s", at)
	}
}

// TestHitListReadsWhatItShows opens the list far from its top, and pages through it: each line
// on the screen has the text of its hit.
func TestHitListReadsWhatItShows(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	d.keys("/").typed("json").keys("enter N M")
	for _, key := range []string{"", "pgup", "g", "pgdown", "G", "k"} {
		d.keys(key)
		if screen := d.screen(); strings.Contains(screen, d.m.env.Spinner()) {
			t.Errorf("after %q there are lines without text:\n%s", key, screen)
		}
	}
}

// TestSearchShown: with steps or a filter the search counts the hits that the tree shows, and n and N go to these only.
func TestSearchShown(t *testing.T) {
	for _, c := range []struct{ trace, edit, text string }{
		{"gson.dump", "focus Gson.toJson", "get"}, {"gson.dump", "filter ret=null", "get"}, {"gson.dump", "merge TypeToken.getRawType", "getRawType"},
		{"kotlin.dump", "drop kind=iteration", "resume"}, {"gson.dump", "filter in(class=JsonReader)", "peek"},
	} {
		d := drive(t, uitest.Recorded(t, c.trace), 140, 40, Options{})
		d.search(c.text, false)
		all := d.m.search.Hits().Len()
		d.command(c.edit)
		d.search(c.text, false)
		shown, _ := d.m.results.Now().Set.Count()
		known := !d.m.results.Now().Running()
		if !known || shown >= all || d.m.search.Hits().Len() != all {
			t.Errorf("%s: %d of %d hits are shown, known %v", c.edit, shown, all, known)
			continue
		}
		d.has(fmt.Sprintf("%s  %s shown of %s", c.text, display.Grouped(int64(shown)), display.Grouped(int64(all))))
		seen := make(map[lazy.Position]bool)
		for i := range shown {
			n := d.m.tree.Out.Cursor.Node
			if n == nil || n.IsThread() {
				t.Fatalf("%s: hit %d is no row", c.edit, i)
			}
			if text := message(d); strings.Contains(text, "hides") || !lazy.ShownIn(d.m.tree.Out.Tree).Has(n) {
				t.Fatalf("%s, hit %d: %q", c.edit, i, text)
			}
			seen[n.Position()] = true
			d.keys("n")
		}
		if len(seen) != shown {
			t.Errorf("%s: n leads to %d rows, %d are shown", c.edit, len(seen), shown)
		}
		rows := 0
		for _, row := range d.m.expandEvery(t) {
			if strings.Contains(strings.ToLower(row), strings.ToLower(c.text)) {
				rows++
			}
		}
		if rows != shown {
			t.Errorf("%s: %d rows have %s, %d hits are shown", c.edit, rows, c.text, shown)
		}
		d.keys("M").has(fmt.Sprintf("%s hits shown", display.Grouped(int64(shown)))).keys("esc")
		d.keys("backspace").keys("esc Z Z")
	}
}

// expandEvery returns the texts of all rows of the tree, without threads.
func (m *Model) expandEvery(t *testing.T) map[lazy.Position]string {
	list := make(map[lazy.Position]string)
	tree := m.tree.Out.Tree
	for r, ok := tree.First(); ok; {
		if r.Gap() {
			if err := tree.Load(t.Context(), r, lazy.AtStart); err != nil {
				t.Fatal(err)
			}
			r = tree.Resolve(r)
			continue
		}
		if r.Node != nil {
			tree.Expand(r.Node)
			if !r.Node.IsThread() {
				list[r.Node.Position()] = tree.Lines([]lazy.Row{r}, false)[0].Text
			}
		}
		r, ok = tree.Next(r)
	}
	return list
}

// TestSearchShownReadings: with a step, n goes on with the other reading of a text that is not found.
func TestSearchShownReadings(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 140, 40, Options{}).command("drop JsonReader.peek")
	d.search("new.*Writer", false)
	d.has("not found").keys("n").has(" shown of ")
	if text := d.cursorText(); !strings.Contains(text, "new ") || !strings.Contains(text, "Writer") {
		t.Errorf("at %q", text)
	}
}
