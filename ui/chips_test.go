package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/uitest"
)

// clickOn clicks on the first cell of a text on the screen.
func (d *driver) clickOn(text string) *driver {
	d.t.Helper()
	for y, line := range strings.Split(d.screen(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			d.send(tea.MouseClickMsg{X: len([]rune(before)), Y: y, Button: tea.MouseLeft})
			return d
		}
	}
	d.t.Errorf("nothing to click on: no %q in\n%s", text, d.screen())
	return d
}

// TestChips: a click on the cross of a chip ends just that, also over a table, which is made again; one on its text
// opens it. Backspace ends the filter first, then the range, then the last step.
func TestChips(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 30, Options{})
	all := func() {
		d.resize(150, 30)
		d.step("drop JsonReader.hasNext").step("range #100..#7000").step("merge java.util.*").filtered("ret=null")
		d.has("✕] [drop JsonReader.hasNext ✕] [range #100..#7000 only in tables ✕] [merge java.util.* ✕]", "Backspace: all rows   Z undoes")
	}
	all()
	d.clickOn("✕] [range")
	if got := d.m.steps.List.Text(d.m.env.Glyphs.Glyphs); got != "range #100..#7000 › merge java.util.*" {
		t.Errorf("in force: %s", got)
	}
	d.keys("T").has(" in the tree ✕] [range #100..#7000 ✕]", "where ret=null")
	d.clickOn("✕] [range").has("top · by own").clickOn("✕] [merge").clickOn("✕]")
	if text := d.screen(); len(d.m.steps.List) > 0 || d.m.filter.Cur != nil || !strings.Contains(text, "318 methods · 3,008 calls") {
		t.Errorf("not all has ended, or the table is as before:\n%s", text)
	}
	d.keys("esc")
	all()
	d.clickOn("ret=null").has("& ret=null").keys("esc").clickOn("merge java").has("3 steps, in their order").keys("esc")
	for _, left := range []string{"drop JsonReader.hasNext › range #100..#7000 › merge java.util.*", "drop JsonReader.hasNext › merge java.util.*", "drop JsonReader.hasNext", ""} {
		d.keys("backspace")
		if got := d.m.steps.List.Text(d.m.env.Glyphs.Glyphs); got != left || d.m.filter.Cur != nil {
			t.Errorf("in force: %s, not %s", got, left)
		}
	}
	all()
	d.resize(40, 12)
	d.has(" +3\n").clickOn("+3").has("3 steps, in their order").keys("esc").resize(120, 30)
	d.filtered("ret=null").keys("V V").has("[& ret=null not here ✕] [drop JsonReader.hasNext not here ✕] [range #100..#7000 ✕]")
	drive(t, d.m.env.Trace.Reader, 80, 24, Options{ASCII: true}).filtered("ret=null").has("[& ret=null 274 x]")
}
