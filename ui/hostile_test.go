package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// TestHostileNames walks a trace whose names and values contain all kinds of characters,
// through all parts of the screen. Each screen has its size (see screen), and contains only
// text and colors.
func TestHostileNames(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Random, N: 3000, Seed: 7, Wild: true, Timed: true}), lazy.Options{NoWrite: true})
	for _, size := range [][2]int{{80, 24}, {130, 40}, {40, 10}} {
		d := drive(t, r, size[0], size[1], Options{})
		check := func() {
			t.Helper()
			d.screen()
			for _, line := range strings.Split(d.m.View().Content, "\n") {
				if text := ansi.Strip(line); format.NeedsEscape(text) {
					t.Errorf("%q", text)
				}
			}
		}
		d.keys("g E")
		for _, keys := range []string{"", "d", "r", "i", "v", "/ e enter M", "t", "s", "> > >"} {
			d.keys("esc").keys(keys)
			for range 40 {
				d.keys("1 7 j")
				check()
			}
			d.keys("esc esc")
		}
	}
}

// TestDamaged opens traces that are cut or changed: a screen appears, with a message
// about the damage.
func TestDamaged(t *testing.T) {
	data := formattest.Recorded(t, "shapes.stream.bin")
	for cut := len(data) - 1; cut > 4000; cut -= 611 {
		path := filepath.Join(t.TempDir(), "cut.bin")
		if err := os.WriteFile(path, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		d := drive(t, uitest.Open(t, path, lazy.Options{NoWrite: true}), 80, 24, Options{})
		d.has("⚠ ", "no more can be read")
		d.keys("E G g d l l l")
		d.screen()
	}
}

// TestDamagedChild shows in place of children why they cannot be loaded, and continues with the rest.
func TestDamagedChild(t *testing.T) {
	names := []string{"gson.stream.bin", "gson.stream.bin.idx"}
	path := formattest.Unpack(t, names...)
	data := formattest.Recorded(t, names[0])
	for i := 60_000; i < 60_400; i++ {
		data[i] = 0xee
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	r := uitest.Open(t, path, lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.keys("E")
	d.keys("G g 1 0 0 j d")
	d.screen()
	if st := r.Status(); st.Problem == nil && !strings.Contains(message(d), "cannot") {
		t.Errorf("no word about the damage; status %+v, screen:\n%s", st, d.screen())
	}
}
