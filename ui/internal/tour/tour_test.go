package tour

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/screen"
)

// TestTour: each stage is completed by its action once that had the effect that the stage is about,
// and the last stage ends the tour.
func TestTour(t *testing.T) {
	tour := new(Tour)
	for i, c := range []struct {
		action string
		less   []Seen // effects that are not enough
		seen   Seen
	}{
		{"down", nil, Seen{}},
		{"expand", []Seen{{}, {Container: true}}, Seen{Container: true, Expanded: true}},
		{"expand-level", []Seen{{}}, Seen{Container: true}},
		{"longest", nil, Seen{}},
		{"details", nil, Seen{}},
		{"search", nil, Seen{}},
		{"hits", []Seen{{Container: true}}, Seen{Hits: true}},
		{"help", nil, Seen{}},
	} {
		if tour.Action() != c.action || Actions()[i] != c.action {
			t.Fatalf("stage %d is about %s, want %s", i+1, tour.Action(), c.action)
		}
		if tour.Arrived("x"); tour.Action() != c.action {
			t.Errorf("another action ends the stage of %s", c.action)
		}
		for _, seen := range c.less {
			if tour.Did(seen); tour.Action() != c.action {
				t.Errorf("%+v ends the stage of %s", seen, c.action)
			}
		}
		over := false
		if c.action == "longest" { // starts work
			if tour.Did(c.seen); tour.Action() != c.action {
				t.Error("the stage of L is done before it has led anywhere")
			}
			over = tour.Arrived("longest")
		} else {
			over = tour.Did(c.seen)
		}
		if over != (i == len(Actions())-1) {
			t.Errorf("over after the stage of %s: %v", c.action, over)
		}
	}
	if tour.Action() != "" || (*Tour)(nil).Action() != "" || (*Tour)(nil).Did(Seen{}) || (*Tour)(nil).Arrived("longest") {
		t.Error("it is not over")
	}
}

func TestView(t *testing.T) {
	tour := new(Tour)
	if n := tour.Height("j", 40, &screen.Unicode); n != 3 {
		t.Errorf("%d lines", n)
	}
	for _, height := range []int{1, 3, 5} {
		lines := tour.View("j", 40, height, &screen.Unicode)
		text := ansi.Strip(strings.Join(lines, "\n"))
		if len(lines) != height || !strings.Contains(text, " tour 1 of 8 · Esc leaves it ") || height > 2 && !strings.Contains(text, "call. j moves down") {
			t.Errorf("%d lines:\n%s", height, text)
		}
	}
}

// TestNoRoom: a tour takes no lines of text in a window without room for a word, such as one
// whose size is not known yet.
func TestNoRoom(t *testing.T) {
	for width := range 5 {
		if got := new(Tour).Height("↓ or j", width, &screen.Unicode); got != 1 {
			t.Errorf("%d cells: height %d, want only the title", width, got)
		}
	}
	if got := new(Tour).Height("↓ or j", 5, &screen.Unicode); got < 10 {
		t.Errorf("5 cells: height %d, want a line for each letter", got)
	}
}
