package ui

import (
	"testing"

	"tracex/ui/internal/uitest"
)

// TestJumps goes back and forward through the positions left by jumps.
func TestJumps(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("j j j")
	here := d.cursorText()
	d.keys(": 5 0 % enter")
	there := d.cursorText()
	d.keys("G")
	last := d.cursorText()
	for i, press := range []struct{ key, want string }{
		{"[", there}, {"[", here}, {"]", there}, {"]", last}, {"[", there}, {"[", here},
	} {
		d.keys(press.key)
		if got := d.cursorText(); got != press.want {
			t.Errorf("press %d, %s: at %q, not %q", i, press.key, got, press.want)
		}
	}
	d.keys("[").has("no earlier position")
}
