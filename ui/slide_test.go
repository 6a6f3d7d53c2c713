package ui

import (
	"strings"
	"testing"

	"tracex/ui/internal/uitest"
)

// TestSlide: → at a leaf scrolls its line alone, as far as there is more of
// it, ← scrolls back, and leaving the row does too.
func TestSlide(t *testing.T) {
	const start, end, other = "new Point(1, 0, 2", ": Point@23076423", "new Point(3, 4): Point@1006"
	d := drive(t, uitest.Recorded(t, "kotlin.stream"), 40, 20, Options{})
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

// TestSlideToHit: what was found is seen, also where its row is longer than the screen
// is wide.
func TestSlideToHit(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "kotlin.stream"), 40, 20, Options{})
	d.keys("/").typed("Point@23076423").keys("enter")
	line := ""
	for _, l := range strings.Split(d.screen(), "\n") {
		if strings.HasPrefix(l, "▌") {
			line = l
		}
	}
	if !strings.Contains(line, "Point@23076423") || !strings.Contains(d.cursorText(), "new Point(1, 0, 2, null): Point@23076423") {
		t.Errorf("at %q, drawn as %q", d.cursorText(), line)
	}
	d.keys("g").typed("").keys("/").typed("new Point(3").keys("enter").has("new Point(3, 4)")
}

// TestNoSibling: a key that leads nowhere says so.
func TestNoSibling(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "kotlin.stream"), 80, 24, Options{})
	d.keys("K").has("no previous sibling").keys("J").has("no next sibling")
	if d.keys("g J"); strings.Contains(d.screen(), "no next sibling") {
		t.Error("there is a next thread")
	}
	d.keys("99J").has("Thread 6")
}

// TestStackInDetails: the path that has no room above the tree is in the details whole.
func TestStackInDetails(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "kotlin.stream"), 60, 50, Options{})
	d.keys(":").typed("50%").keys("enter")
	d.has(" … ")
	d.resize(140, 50)
	d.keys("d").has("path       Thread 1 (main) › K.run()")
}
