package screen

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestCrumbs: a path that is too long loses its middle, never its ends.
func TestCrumbs(t *testing.T) {
	names := []string{"Thread 1", "Main.main()", "Worker.loop()", "Queue.take()", "Lock.lock()"}
	name := func(i int) string { return names[i] }
	for _, c := range []struct {
		n, width int
		want     string
	}{
		{0, 40, ""}, {1, 40, " Thread 1"}, {5, 80, " " + strings.Join(names, " › ")},
		{5, 60, " Thread 1 › … › Worker.loop() › Queue.take() › Lock.lock()"},
		{5, 30, " Thread 1 › … › Lock.lock()"},
	} {
		line := ansi.Strip(CrumbLine(Crumbs(c.n, name, c.width-2, &Unicode), c.width, &Unicode))
		if w := ansi.StringWidth(line); w != c.width {
			t.Errorf("%d cells, not %d: %q", w, c.width, line)
		}
		if got := strings.TrimRight(line, " "); got != c.want {
			t.Errorf("%d names in %d cells: %q, want %q", c.n, c.width, got, c.want)
		}
	}
}
