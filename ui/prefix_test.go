package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/env"
	"tracex/ui/internal/uitest"
)

// TestPrefix: after a while the keys that may follow a prefix float above the bottom line, also over a table; a key that
// comes sooner shows nothing of them.
func TestPrefix(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	if before := d.keys(": 5 8 3 enter -").screen(); strings.Contains(before, "pkg") || strings.Contains(before, "╭") {
		t.Errorf("at once:\n%s", before)
	}
	d.keys("m").fire(env.PrefixWaited{})
	if after := d.screen(); strings.Contains(after, "╭") {
		t.Errorf("the choice of before is shown:\n%s", after)
	}
	d.keys("Z -").fire(env.PrefixWaited{})
	d.golden("prefix")
	d.keys("esc T -").fire(env.PrefixWaited{})
	if !strings.Contains(d.bottom(), "the keys above choose   Esc closes") {
		t.Errorf("over a table: %q", d.bottom())
	}
	d.has("│ m  ", "│ k  loops").keys("esc esc m a m b m c m d m e m f m g '").resize(40, 10)
	d.fire(env.PrefixWaited{})
	d.has("│ a    to #", "│ …    4 more").send(tea.MouseClickMsg{X: 4, Y: 7, Button: tea.MouseLeft})
	if d.m.env.Keyboard.Prefix != nil || message(d) != "" {
		t.Error("a click on the last line chooses one that is not shown")
	}
	d = drive(t, d.m.env.Trace.Reader, 80, 24, Options{ASCII: true}).keys(": 5 8 3 enter -").fire(env.PrefixWaited{})
	d.has("| m  ", "+- merge -")
}

// TestPrefixMouse: a click on a choice is its key, one elsewhere leaves them.
func TestPrefixMouse(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	click := func(x, y int) { d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	d.keys(": 5 8 3 enter -").fire(env.PrefixWaited{})
	click(79, 3)
	if d.m.env.Keyboard.Prefix != nil || len(d.m.steps.List) > 0 {
		t.Error("a click elsewhere does not leave")
	}
	d.keys("-").fire(env.PrefixWaited{})
	for y, line := range strings.Split(d.screen(), "\n") {
		if strings.Contains(line, "│ c  class") {
			click(4, y)
		}
	}
	if got := d.m.steps.List.Text(d.m.env.Glyphs.Glyphs); !strings.HasPrefix(got, "merge class=") {
		t.Errorf("a click adds %q", got)
	}
}
