package tour

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/screen"
)

// TestTour: each stage is completed by its key once that had the effect that the stage is about,
// and the last stage ends the tour.
func TestTour(t *testing.T) {
	tour := new(Tour)
	for i, c := range []struct {
		key  string
		less []Seen // effects that are not enough
		seen Seen
	}{
		{"down", nil, Seen{}},
		{"right", []Seen{{}, {Container: true}}, Seen{Container: true, Expanded: true}},
		{"e", []Seen{{}}, Seen{Container: true}},
		{"L", nil, Seen{}},
		{"d", nil, Seen{}},
		{"/", nil, Seen{}},
		{"H", []Seen{{Container: true}}, Seen{Hits: true}},
		{"?", nil, Seen{}},
	} {
		if tour.Key() != c.key || Keys()[i] != c.key {
			t.Fatalf("stage %d is about %s, want %s", i+1, tour.Key(), c.key)
		}
		if tour.Arrived("x"); tour.Key() != c.key {
			t.Errorf("another key ends the stage of %s", c.key)
		}
		for _, seen := range c.less {
			if tour.Did(seen); tour.Key() != c.key {
				t.Errorf("%+v ends the stage of %s", seen, c.key)
			}
		}
		over := false
		if c.key == "L" { // starts work
			if tour.Did(c.seen); tour.Key() != c.key {
				t.Error("the stage of L is done before it has led anywhere")
			}
			over = tour.Arrived("L")
		} else {
			over = tour.Did(c.seen)
		}
		if over != (i == len(Keys())-1) {
			t.Errorf("over after the stage of %s: %v", c.key, over)
		}
	}
	if tour.Key() != "" || (*Tour)(nil).Key() != "" || (*Tour)(nil).Did(Seen{}) || (*Tour)(nil).Arrived("L") {
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
