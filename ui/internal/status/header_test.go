package status

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/screen"
)

// TestHeader: in a narrow window the least important parts are dropped first.
func TestHeader(t *testing.T) {
	h := Header{Name: "trace.bin", About: []string{"3 threads", "12 calls", "40 events"}, Index: "index ✓", Ready: true, Memory: "1 MiB of 2 MiB"}
	for _, c := range []struct {
		width int
		ready bool
		want  string
	}{
		{80, true, " trace.bin  3 threads · 12 calls · 40 events           index ✓   1 MiB of 2 MiB "},
		{60, true, " trace.bin  3 threads · 12 calls   index ✓   1 MiB of 2 MiB "},
		{40, true, " trace.bin  3 threads    1 MiB of 2 MiB "},
		{40, false, " trace.bin  3 threads           index ✓ "},
		{28, true, " trac…bin    1 MiB of 2 MiB "},
	} {
		h.Ready = c.ready
		got := ansi.Strip(h.View(c.width, &screen.Unicode))
		if got != c.want || ansi.StringWidth(got) != c.width {
			t.Errorf("%d cells, ready %v: %q, want %q", c.width, c.ready, got, c.want)
		}
	}
}
