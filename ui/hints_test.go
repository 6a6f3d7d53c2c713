package ui

import (
	"fmt"
	"strings"
	"testing"

	"tracex/ui/internal/uitest"
)

// bottom is the last line of the screen.
func (d *driver) bottom() string {
	lines := strings.Split(strings.TrimRight(d.screen(), "\n"), "\n")
	return lines[len(lines)-1]
}

// TestHints: how to leave and where all keys are is on the bottom line of every
// window, and what is of least use goes first.
func TestHints(t *testing.T) {
	for _, o := range []Options{{}, {ASCII: true}} {
		plain := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, o)
		threads := drive(t, uitest.Recorded(t, "threads.dump"), 80, 24, o)
		timed := drive(t, timedTrace(t, timedSpec), 80, 24, o)
		search := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, o)
		search.keys("/ J s o n enter")
		for i, d := range []*driver{plain, threads, timed, search} {
			had := ""
			for width := 200; width >= minWidth; width-- {
				d.resize(width, 24)
				line := d.bottom()
				if !strings.HasSuffix(line, "   ? keys   q quit") || strings.Contains(line, d.m.g.More) {
					t.Fatalf("%d, %d columns: %q", i, width, line)
				}
				if strings.Contains(line, "x unload") && !strings.Contains(line, "/ find") {
					t.Errorf("%d, %d columns: %q", i, width, line)
				}
				had += line
			}
			if !strings.Contains(had, "x unload") {
				t.Errorf("%d: no width has room for all", i)
			}
		}
		search.resize(100, 24)
		search.has("n N next/previous   H hits")
		plain.resize(80, 24)
		if !o.ASCII {
			plain.has("← → collapse/expand   ↑ ↓ move   / find   d details   : go to   ? keys   q quit")
		}
	}
}

// TestTooSmallSaysWhat: what the window is too small for is said in any width that has
// room for it.
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

// TestEscAndKey: terminals send Esc and a key that follows at once as one with
// Alt.
func TestEscAndKey(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("/").typed("Json")
	d.send(keyWithAlt('d').press())
	if d.m.prompt == nil {
		t.Error("Alt-d, which edits a line, has left the prompt")
	}
	d.send(keyWithAlt('j').press())
	if d.m.prompt != nil {
		t.Error("Esc j does not leave the prompt")
	}
	at := d.m.out.line
	d.keys("?")
	d.send(keyWithAlt('j').press())
	if d.m.overlay != nil || d.m.out.line != at+1 {
		t.Errorf("Esc j leaves help: %v, and moves by %d", d.m.overlay == nil, d.m.out.line-at)
	}
	d.send(keyWithAlt('q').press())
	if !d.quit {
		t.Error("Esc q does not quit")
	}
}
