package lists

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// newTour returns a tour of keys; user may be nil.
func newTour(t *testing.T, user map[string][]string) *Tour {
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Keyboard.Keys = keys.New(user, e.Glyphs)
	return NewTour(e, nil, true)
}

// TestTour: each stage is completed by its command once that had the effect that the stage is about,
// and the last stage ends the tour.
func TestTour(t *testing.T) {
	tour := newTour(t, nil)
	for i, c := range []struct {
		command keys.Name
		less    []seen // effects that are not enough
		seen    seen
	}{
		{"down", nil, seen{}},
		{"expand", []seen{{}, {container: true}}, seen{container: true, expanded: true}},
		{"expand-level", []seen{{}}, seen{container: true}},
		{"longest", []seen{{}, {container: true, expanded: true}}, seen{arrived: true}},
		{"details", nil, seen{}},
		{"search", nil, seen{}},
		{"hits", []seen{{container: true}}, seen{hits: true}},
		{"help", nil, seen{}},
	} {
		if tour.Command() != c.command || stages[i].command != c.command {
			t.Fatalf("stage %d is about %s, want %s", i+1, tour.Command(), c.command)
		}
		if tour.did("x", c.seen); tour.Command() != c.command {
			t.Errorf("another command ends the stage of %s", c.command)
		}
		for _, less := range c.less {
			if tour.did(c.command, less); tour.Command() != c.command {
				t.Errorf("%+v ends the stage of %s", less, c.command)
			}
		}
		tour.did(c.command, c.seen)
		if over := !tour.On(); over != (i == len(stages)-1) {
			t.Errorf("over after the stage of %s: %v", c.command, over)
		}
	}
	if tour.did("longest", seen{arrived: true}); tour.Command() != "" || tour.On() || tour.End() {
		t.Error("it is not over")
	}
}

func TestView(t *testing.T) {
	tour := newTour(t, map[string][]string{"down": {"j"}})
	if n := tour.Height(40); n != 3 {
		t.Errorf("%d lines", n)
	}
	for _, height := range []int{1, 3, 5} {
		lines := tour.View(40, height)
		text := ansi.Strip(strings.Join(lines, "\n"))
		if len(lines) != height || !strings.Contains(text, " tour 1 of 8 · Esc leaves it ") || height > 2 && !strings.Contains(text, "call. j moves down") {
			t.Errorf("%d lines:\n%s", height, text)
		}
	}
}

// TestNoRoom: a tour takes no lines of text in a window without room for a word, such as one
// whose size is not known yet.
func TestNoRoom(t *testing.T) {
	tour := newTour(t, nil)
	for width := range 5 {
		if got := tour.Height(width); got != 1 {
			t.Errorf("%d cells: height %d, want only the title", width, got)
		}
	}
	if got := tour.Height(5); got < 10 {
		t.Errorf("5 cells: height %d, want a line for each letter", got)
	}
}
