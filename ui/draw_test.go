package ui

import (
	"fmt"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/uitest"
)

// TestDeep walks down a trace that is nested 100,000 deep, and jumps to its
// bottom.
func TestDeep(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Deep, N: 100_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.keys(": 5 0 % enter")
	if n := d.m.tree.Out.Cursor.Node; n == nil || n.Depth() < 40_000 {
		t.Fatalf("at %q", d.cursorText())
	}
	d.keys("d j k pgdown pgup h l")
	d.screen()
}

// TestTooSmallSaysWhat: in any width that has room for it, the screen tells what the window
// is too small for.
func TestTooSmallSaysWhat(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	for width := 1; width < 60; width++ {
		d.resize(width, 5)
		screen := d.screen()
		if has := strings.Contains(screen, "40×10"); has != (width >= len("40x10")) {
			t.Errorf("%d columns: %q", width, screen)
		}
		if full := fmt.Sprintf("%d×5: tracex needs 40×10", width); width >= len([]rune(full)) && !strings.Contains(screen, full) {
			t.Errorf("%d columns: %q", width, screen)
		}
	}
}

// TestMemoryHasHits: the memory in the header grows with the hits of a search, and the
// details show its use.
func TestMemoryHasHits(t *testing.T) {
	d := drive(t, uitest.Open(t, unpackFlat(t), lazy.Options{}), 150, 40, Options{})
	if d.m.search.Bytes() != 0 {
		t.Errorf("%d bytes are kept for nothing", d.m.search.Bytes())
	}
	d.keys("g / i t e r enter")
	hits := int64(d.m.search.Hits().Len())
	if hits < 60_000 || d.m.search.Bytes() < 24*hits {
		t.Fatalf("%d bytes are kept for %d hits", d.m.search.Bytes(), hits)
	}
	d.keys("g d").has(display.Size(d.m.tree.Out.Tree.Stats().Bytes+d.m.search.Bytes())+" of ", display.Size(d.m.search.Bytes())+" for hits")
	before := d.m.search.Bytes()
	d.keys("M")
	if d.m.search.Bytes() <= before {
		t.Error("the list of hits takes nothing")
	}
	d.keys("esc esc esc")
	if d.m.search.Bytes() != 0 {
		t.Errorf("%d bytes are kept after the search", d.m.search.Bytes())
	}
}

// TestLargerWindow: rows fill a window that grows, in the tree and in lists, while there are any above.
func TestLargerWindow(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 14, Options{})
	for keys, esc := range map[string]string{"E G": "", "? G": "esc", ": h e l p enter G": "esc"} {
		d.resize(100, 14)
		d.keys(keys)
		d.resize(100, 40)
		lines := strings.Split(strings.TrimSuffix(d.screen(), "\n"), "\n")
		empty := 0 // above the line of keys
		for i := len(lines) - 2; i >= 0 && strings.TrimSpace(lines[i]) == ""; i-- {
			empty++
		}
		if len(lines) != 40 || empty > 1 {
			t.Errorf("%s: %d of %d lines are empty:\n%s", keys, empty, len(lines), strings.Join(lines, "\n"))
		}
		d.keys(esc)
	}
}

// TestHelpPlain: no text of the palette has a placeholder.
func TestHelpPlain(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 14, Options{})
	for _, c := range d.m.env.Keyboard.Keys.Line() {
		if strings.Contains(c.Does(), "{}") {
			t.Errorf("%s: %s", c.Name, c.Does())
		}
	}
}
