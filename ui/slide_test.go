package ui

import (
	"strings"
	"testing"
)

// TestSlide: → at a leaf scrolls its line alone, as far as there is more of
// it, ← scrolls back, and leaving the row does too.
func TestSlide(t *testing.T) {
	const start, end, other = "new Point(1, 0, 2", ": Point@23076423", "new Point(3, 4): Point@1006"
	d := drive(t, recorded(t, "kotlin.stream"), 40, 20, Options{})
	check := func(what string, first bool) {
		t.Helper()
		s := d.screen()
		if strings.Contains(s, start) != first || strings.Contains(s, end) == first || !strings.Contains(s, other) {
			t.Fatalf("%s:\n%s", what, s)
		}
	}
	d.keys("j")
	check("before", true)
	d.keys("l l")
	check("scrolled to its end", false)
	d.keys("l").has("no children")
	check("scrolled no further", false)
	d.keys("h h")
	check("scrolled back", true)
	d.keys("l l j k")
	check("left and come back", true)
}
