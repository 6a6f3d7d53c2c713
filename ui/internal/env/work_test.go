package env

import (
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// TestBackground: the bar of the cursor's line fits the background that the terminal names. It
// stays reversed if the terminal names none, or has too few colors for grays.
func TestBackground(t *testing.T) {
	for _, c := range []struct {
		name    string
		profile colorprofile.Profile
		color   color.Color
		want    theme.Background
	}{
		{"dark", colorprofile.ANSI256, color.Black, theme.DarkBackground},
		{"light", colorprofile.ANSI256, color.White, theme.LightBackground},
		{"no answer", colorprofile.ANSI256, nil, theme.UnknownBackground},
		{"16 colors", colorprofile.ANSI, color.Black, theme.UnknownBackground},
	} {
		e := New(&screen.Unicode)
		defer e.Close()
		e.Paint(e.Theme, c.profile)
		if asks := e.AskBackground() != nil; asks != (c.profile == colorprofile.ANSI256) {
			t.Errorf("%s: asks %v", c.name, asks)
		}
		if e.Background(tea.BackgroundColorMsg{Color: c.color}); *e.Glyphs.Pens != *e.Theme.Pens(c.want, c.profile) {
			t.Errorf("%s: the pens are not those for background %d", c.name, c.want)
		}
		if screen.Unicode.Pens != nil {
			t.Errorf("%s: the bar of another explorer changed", c.name)
		}
	}
}

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
