package ui

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/uitest"
)

// TestCounts types numbers before keys.
func TestCounts(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	row := func(want int) {
		t.Helper()
		first, _ := d.m.tree.Out.Tree.First()
		n := 1
		for r := first; r != d.m.tree.Out.Cursor; n++ {
			var ok bool
			if r, ok = d.m.tree.Out.Tree.Next(r); !ok {
				t.Fatal("the cursor is on no row")
			}
		}
		if n != want {
			t.Errorf("the cursor is at row %d, not %d", n, want)
		}
	}
	row(2)
	d.keys("5 j")
	row(7)
	d.keys("1 0 j 3 k")
	row(14)
	d.keys("2 0 G")
	row(20)
	d.keys("g")
	row(1)
	d.keys("9 9 9 9 9 9 9 9 9 9 9 9 j")
	row(37)
	d.keys("3 0 g")
	row(30)
}

// TestDepth opens to a depth with a lone digit, which waits for a key that it may count for.
func TestDepth(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("2")
	before := d.m.tree.Out.Tree.Stats().Loaded
	d.fire(keys.Depth{})
	if after := d.m.tree.Out.Tree.Stats().Loaded; after <= before {
		t.Errorf("%d rows loaded before, %d after", before, after)
	}
	deepest := func() (deepest int) {
		r, ok := d.m.tree.Out.Tree.First()
		for ; ok; r, ok = d.m.tree.Out.Tree.Next(r) {
			deepest = max(deepest, r.Depth)
		}
		return deepest
	}
	// The cursor is at depth 1: two levels below it.
	if got := deepest(); got != 3 {
		t.Errorf("rows down to depth %d, not 3", got)
	}
	d.keys("1")
	d.fire(keys.Depth{})
	if got := deepest(); got != 2 {
		t.Errorf("rows down to depth %d, not 2", got)
	}
	d.keys("3 j")
	d.fire(keys.Depth{})
	if got := deepest(); got != 2 {
		t.Errorf("a digit that was used as a count opened to depth %d", got)
	}
}

// TestMouse clicks and turns the wheel.
func TestMouse(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	click := func(x, y int) { d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(20, 7)
	if got := d.cursorText(); !strings.Contains(got, ".create()") {
		t.Fatalf("the click went to %q", got)
	}
	n := d.m.tree.Out.Cursor.Node
	click(20, 7)
	if !d.m.tree.Out.Tree.IsExpanded(n) {
		t.Error("a double click does not expand")
	}
	click(6, 7)
	if d.m.tree.Out.Tree.IsExpanded(n) {
		t.Error("a click on the mark does not close")
	}
	top := d.m.tree.Out.Rows[0]
	d.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if d.m.tree.Out.Rows[0] == top || d.m.tree.Out.Cursor.Node != n {
		t.Error("the wheel does not scroll, or moves the cursor")
	}
	d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	if d.m.tree.Out.Rows[0] != top {
		t.Error("the wheel does not scroll back")
	}
	for _, o := range []Options{{}, {NoMouse: true}} {
		want := tea.MouseModeCellMotion
		if o.NoMouse {
			want = tea.MouseModeNone
		}
		if got := drive(t, d.m.env.Trace.Reader, 80, 24, o).m.View().MouseMode; got != want {
			t.Errorf("%+v: mouse mode %v", o, got)
		}
	}
}

// TestStepsBack: Ctrl-C in a prompt discards its text, and Esc after a number only the number.
func TestStepsBack(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("/ J s o n enter")
	what := d.m.search.Pattern()
	d.keys("/ x ctrl+c")
	if d.quit || d.m.env.Front.Prompt() != nil || d.m.search.Pattern() != what {
		t.Errorf("quit %v, prompt %v, search %v", d.quit, d.m.env.Front.Prompt(), d.m.search.Pattern())
	}
	d.keys("5 0 esc")
	if d.m.search.Pattern() != what || d.m.env.Keyboard.Count.String() != "" {
		t.Errorf("search %v, number %v", d.m.search.Pattern(), d.m.env.Keyboard.Count.String())
	}
	d.keys("esc")
	if d.m.search.Some() {
		t.Error("Esc does not end the search")
	}
	d.keys(": 7")
	d.resize(20, 5)
	d.keys("ctrl+c")
	if !d.quit {
		t.Error("a window that is too small cannot be left")
	}
}

// TestUnreadClipboard: a prompt tells why Ctrl-V pastes nothing.
func TestUnreadClipboard(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys(": 7").send(env.Failed{What: "cannot read the clipboard", Err: errors.New("no xclip")})
	d.has(":7", "cannot read the clipboard: no xclip")
}

// TestEscAndKey: terminals send Esc and a key right after it as one with Alt.
func TestEscAndKey(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("/").typed("Json")
	d.send(keyWithAlt('d').press())
	if d.m.env.Front.Prompt() == nil {
		t.Error("Alt-d, which edits a line, has left the prompt")
	}
	d.send(keyWithAlt('j').press())
	if d.m.env.Front.Prompt() != nil {
		t.Error("Esc j does not leave the prompt")
	}
	at := d.m.tree.Out.Line
	d.keys("?")
	d.send(keyWithAlt('j').press())
	if d.m.env.Front.List() != nil || d.m.tree.Out.Line != at+1 {
		t.Errorf("Esc j leaves help: %v, and moves by %d", d.m.env.Front.List() == nil, d.m.tree.Out.Line-at)
	}
	d.send(keyWithAlt('q').press())
	if !d.quit {
		t.Error("Esc q does not quit")
	}
}
