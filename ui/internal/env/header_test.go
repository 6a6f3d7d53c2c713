package env

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/screen"
)

// TestHeader: in a narrow window the least important parts are dropped first. What the user has
// to know about index and memory is at the right; usually that is nothing.
func TestHeader(t *testing.T) {
	const index = "⚠ index not stored"
	memory := Memory{9 << 20, 10 << 20, 0}
	for _, c := range []struct {
		width  int
		index  string
		memory Memory
		want   string
	}{
		{60, "", Memory{}, " trace.bin  3 threads · 12 calls · 40 events                "},
		{40, "", Memory{}, " trace.bin  3 threads · 12 calls        "},
		{28, "", Memory{}, " trace.bin  3 threads       "},
		{80, index, Memory{}, " trace.bin  3 threads · 12 calls · 40 events                 ⚠ index not stored "},
		{99, "", memory, " trace.bin  3 threads · 12 calls · 40 events                              memory 9.0 MiB of 10 MiB "},
		{100, "", memory, " trace.bin  3 threads · 12 calls · 40 events                               ━━━━━━━━━─ 9.0 of 10 MiB "},
		{100, "", Memory{3 << 20, 10 << 20, 1234}, " trace.bin  3 threads · 12 calls · 40 events              ━━━─────── 3.0 of 10 MiB · 1,234 unloaded "},
		{100, index, memory, " trace.bin  3 threads · 12 calls · 40 events          ━━━━━━━━━─ 9.0 of 10 MiB   ⚠ index not stored "},
		{60, index, memory, " trace.bin  3 threads                    ⚠ index not stored "},
		{40, index, Memory{}, " trace.bin           ⚠ index not stored "},
	} {
		h := Header{Name: "trace.bin", About: []string{"3 threads", "12 calls", "40 events"}, Index: c.index, Memory: c.memory}
		got := ansi.Strip(h.View(c.width, &screen.Unicode))
		if got != c.want || ansi.StringWidth(got) != c.width {
			t.Errorf("%d cells: %q, want %q", c.width, got, c.want)
		}
	}
}
