package ui

import (
	"testing"

	"tracex/ui/internal/uitest"
)

// TestHistory goes back and forth through the places left by jumps.
func TestHistory(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("j j j")
	here := d.cursorText()
	d.keys(": 5 0 % enter")
	there := d.cursorText()
	d.keys("G")
	last := d.cursorText()
	for i, step := range []struct{ key, want string }{
		{"[", there}, {"[", here}, {"]", there}, {"]", last}, {"[", there}, {"[", here},
	} {
		d.keys(step.key)
		if got := d.cursorText(); got != step.want {
			t.Errorf("step %d, %s: at %q, not %q", i, step.key, got, step.want)
		}
	}
	d.keys("[").has("no earlier position")
}
