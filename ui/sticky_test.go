package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/uitest"
)

// TestSticky: the calls around the first row stay at the top when they are scrolled out; a key and a
// click go to them; the path above leaves them out; a command turns that off, as a low window does.
func TestSticky(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{})
	mark := d.m.env.Glyphs.Above
	d.keys("g E 1 5 0 j")
	click := func(line int) {
		d.send(tea.MouseClickMsg{X: 60, Y: d.m.frame.layout.Top + line, Button: tea.MouseLeft})
	}
	click(len(d.m.tree.Out.Stuck))
	if n := strings.Count(d.screen(), mark); n != len(d.m.tree.Out.Stuck) || n < 3 {
		t.Fatalf("%d rows stay:\n%s", n, d.screen())
	}
	top := d.m.frame.layout.Top
	lines := strings.Split(d.screen(), "\n")
	stuck := d.m.tree.Out.Stuck
	name := d.m.tree.Out.ShortName(stuck[len(stuck)-1].Node)
	if !strings.Contains(lines[1], name) {
		t.Errorf("the path does not name %s: %s", name, lines[1])
	}
	from, want := d.m.tree.Out.Cursor, lines[top+len(stuck)-1]
	if d.keys("u"); d.m.tree.Out.Cursor != stuck[len(stuck)-1] {
		t.Errorf("u leads from %s to %s, not to %s", name, d.cursorText(), want)
	}
	if d.keys("["); d.m.tree.Out.Cursor != from {
		t.Errorf("[ leads back to %s", d.cursorText())
	}
	if stuck = d.m.tree.Out.Stuck; len(stuck) < 2 {
		t.Fatalf("%d rows stay", len(stuck))
	}
	if click(1); d.m.tree.Out.Cursor != stuck[1] {
		t.Errorf("a click leads to %s", d.cursorText())
	}
	if d.keys("g u").has("nothing around this row is scrolled out"); strings.Contains(d.screen(), mark) {
		t.Errorf("at the top rows stay:\n%s", d.screen())
	}

	d.keys("1 5 0 j").filtered("ret=null").keys("pgdown pgdown")
	if d.screen(); len(d.m.tree.Out.Stuck) == 0 {
		t.Errorf("no row stays in a filtered tree:\n%s", d.screen())
	}
	d.keys("backspace").typed(":sticky").keys("enter").has("the calls around scroll out")
	if strings.Contains(d.screen(), mark) {
		t.Errorf("rows stay that may not:\n%s", d.screen())
	}
	d.keys("u")
	if d.typed(":sticky").keys("enter pgdown"); !strings.Contains(d.screen(), mark) {
		t.Errorf("no row stays:\n%s", d.screen())
	}
	if d.resize(100, 14); strings.Contains(d.screen(), mark) {
		t.Errorf("rows stay in a low window:\n%s", d.screen())
	}
}
