package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/uitest"
)

// TestTourShowsLocation: on a small screen, the code location of a row, which the tour mentions,
// is visible at once.
func TestTourShowsLocation(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{Tour: true})
	d.keys("j l j d").has("at  ", ".java:", "tour 2 of 8")
}

// TestTour does all that the tour asks for.
func TestTour(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{Tour: true})
	stages := []keys.Name{keys.Down, keys.Expand, keys.ExpandLevel, keys.Longest, keys.Details, keys.Search, keys.Hits, keys.Help}
	for i, name := range stages {
		if d.m.tour.Command() != name {
			t.Fatalf("not at stage %d", i+1)
		}
		key := d.m.env.Keyboard.Keys.Named(name).Key.Keys()[0]
		if d.keys(key); key == "right" {
			if d.has("no children"); d.m.tour.Command() != name {
				t.Error("the tour continues from a row that has nothing to expand")
			}
			d.keys("j right")
		}
		if key == "e" { // to a row without children
			for at := d.m.tree.Out.Cursor; !at.Node.Leaf(); at = d.m.tree.Out.Cursor {
				if d.keys("j"); d.m.tree.Out.Cursor == at {
					t.Fatal("all rows have children: the test shows nothing")
				}
			}
			if d.keys("L"); d.m.tour.Command() != stages[i+1] {
				t.Error("the tour continues though there is no child to go to")
			}
			d.keys("g j")
		}
		if key == "/" {
			d.typed("json").keys("enter")
		}
		if key == "M" {
			d.keys("esc") // closes the list
		}
	}
	if d.m.tour.On() {
		t.Error("the tour does not end")
	}
	d = drive(t, d.m.env.Trace.Reader, 80, 24, Options{Tour: true})
	if d.keys("esc"); d.m.tour.On() {
		t.Error("Esc does not leave the tour")
	}
}

// TestTourBeforeTheWindow: messages that arrive before the size of the window, or in a window
// that is too small, draw no tour.
func TestTourBeforeTheWindow(t *testing.T) {
	m := New(uitest.Recorded(t, "gson.dump"), Options{Tour: true})
	t.Cleanup(m.env.Close)
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.Update(env.TraceChanged{})
		m.Update(tea.WindowSizeMsg{Width: 3, Height: 3})
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the tour is wrapped in a window of no width")
	}
}
