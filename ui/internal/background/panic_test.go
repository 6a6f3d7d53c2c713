package background

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestGuarded: a panic in work becomes a message, which panics again with the stack of
// the first panic.
func TestGuarded(t *testing.T) {
	if got := Guarded(func() tea.Msg { return 7 }); got != 7 {
		t.Errorf("%v", got)
	}
	p, ok := Guarded(func() tea.Msg { panic("planted") }).(Panic)
	if !ok {
		t.Fatal("no panic")
	}
	defer func() {
		if text, _ := recover().(string); !strings.HasPrefix(text, "planted\n") || !strings.Contains(text, "TestGuarded") {
			t.Errorf("%q", text)
		}
	}()
	p.Again()
}

// TestWatched: panics of a command, and of the commands of its batches, become messages.
func TestWatched(t *testing.T) {
	if Watched(nil) != nil {
		t.Error("a command of nothing")
	}
	broken := func() tea.Msg { panic("planted") }
	if _, ok := Watched(broken)().(Panic); !ok {
		t.Error("no panic of a command")
	}
	seven := func() tea.Msg { return 7 }
	outer, ok := Watched(tea.Batch(seven, tea.Batch(seven, broken)))().(tea.BatchMsg)
	if !ok || len(outer) != 2 || outer[0]() != 7 {
		t.Fatalf("%v", outer)
	}
	inner, ok := outer[1]().(tea.BatchMsg)
	if !ok || len(inner) != 2 || inner[0]() != 7 {
		t.Fatalf("%v", inner)
	}
	if _, ok := inner[1]().(Panic); !ok {
		t.Error("no panic of a command in a batch in a batch")
	}
}
