package ui

import (
	"strings"
	"testing"

	"tracex/ui/internal/layout"
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
			for width := 200; width >= layout.MinWidth; width-- {
				d.resize(width, 24)
				line := d.bottom()
				if !strings.HasSuffix(line, "   ? keys   q quit") || strings.Contains(line, d.m.env.Glyphs.More) {
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

// TestHintsSayHowToGetOut: even in a narrow window, the bottom line of a list shows how to close it.
func TestHintsSayHowToGetOut(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		d := drive(t, uitest.Recorded(t, "threads.stream"), layout.MinWidth, layout.MinHeight, Options{ASCII: ascii})
		d.keys("?").has("   Esc closes")
		d.keys("/ a").has("   Esc clears it")
		d.keys("esc esc t").has(" / filter   Esc closes")
	}
}
