package ui

import (
	"strings"
	"testing"

	"tracex/lazy"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// bottom is the last line of the screen.
func (d *driver) bottom() string {
	lines := strings.Split(strings.TrimRight(d.screen(), "\n"), "\n")
	return lines[len(lines)-1]
}

// TestHints: the bottom line of every window shows how to leave and where to find all keys; the
// least useful hints are dropped first.
func TestHints(t *testing.T) {
	for _, o := range []Options{{}, {ASCII: true}} {
		plain := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, o)
		threads := drive(t, uitest.Recorded(t, "threads.dump"), 80, 24, o)
		timed := drive(t, timedTrace(t, timedSpec), 80, 24, o)
		search := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, o)
		search.keys("/ J s o n enter")
		for i, d := range []*driver{plain, threads, timed, search} {
			had := ""
			for width := 200; width >= screen.MinWidth; width-- {
				d.resize(width, 24)
				line := d.bottom()
				if !strings.HasSuffix(line, "   ? keys   q quit") || strings.Contains(line, d.m.env.Glyphs.More) {
					t.Fatalf("%d, %d columns: %q", i, width, line)
				}
				if strings.Contains(line, "move") && !strings.Contains(line, "/ find") {
					t.Errorf("%d, %d columns: %q", i, width, line)
				}
				had += line
			}
			if !strings.Contains(had, "go to") {
				t.Errorf("%d: no width has room for all", i)
			}
			if strings.Contains(had, "unload") || strings.Contains(had, "folded") {
				t.Errorf("%d: keys without a use here: %s", i, had)
			}
		}
	}
}

// TestHintsFit: the bottom line shows the keys for the row under the cursor and for what is going on.
func TestHintsFit(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	shows := func(keys, want string) {
		t.Helper()
		if line := strings.TrimSpace(d.keys(keys).bottom()); line != want {
			t.Errorf("%s:\n%q, want\n%q", keys, line, want)
		}
	}
	shows("", "← collapse   → into   ↑ ↓ move   / find   d details   T top   : go to   ? keys   q quit")
	shows("g", "→ expand   ↑ ↓ move   / find   d details   T top   : go to   ? keys   q quit")
	shows("j l", "← parent   ↑ ↓ move   / find   d details   T top   : go to   ? keys   q quit")
	shows("j", "→ expand   E all below   ↑ ↓ move   / find   d details   T top   : go to   ? keys   q quit")
	shows("/ J s o n enter", "n N next/previous   M hits   → expand   ↑ ↓ move   / find   d details   : go to   ? keys   q quit")
	shows("esc esc r g", "→ expand   ↑ ↓ move   / find   d details   T top   : go to   r folded   ? keys   q quit")
	d = drive(t, uitest.Recorded(t, "threads.dump"), 100, 24, Options{})
	shows("g", "→ expand   Tab next thread   t threads   ↑ ↓ move   / find   d details   : go to   ? keys   q quit")
	d = drive(t, timedTrace(t, timedSpec), 100, 24, Options{})
	shows("g c", "→ expand   Tab next thread   t threads   ↑ ↓ move   / find   d details   : go to   ? keys   q quit")
	d.resize(120, 24)
	shows("", "→ expand   Tab next thread   t threads   ↑ ↓ move   / find   d details   L longest   s sort   : go to   ? keys   q quit")
}

// TestFull: when little of the memory budget is left, the header tells, and the bottom line has
// the key that frees memory.
func TestFull(t *testing.T) {
	d := drive(t, uitest.Open(t, unpackFlat(t), lazy.Options{Memory: 1 << 20}), 100, 24, Options{})
	if screen := d.screen(); strings.Contains(screen, "memory") || strings.Contains(screen, "unload") {
		t.Fatalf("at the start:\n%s", screen)
	}
	d.keys("g / i t e r enter").has("━", " of 1.0 MiB", "x unload")
}

// TestHintsSayHowToGetOut: even in a narrow window, the bottom line of a list shows how to close it.
func TestHintsSayHowToGetOut(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		d := drive(t, uitest.Recorded(t, "threads.stream"), screen.MinWidth, screen.MinHeight, Options{ASCII: ascii})
		d.keys("?").has("   Esc closes")
		d.keys("/ a").has("   Esc clears it")
		d.keys("esc esc t").has(" / filter   Esc closes")
	}
}
