package env

import (
	"image/color"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
)

// TestBackground: the bar of the cursor's line fits the background that the terminal names. It
// stays reversed if the terminal names none, or has too few colors for grays.
func TestBackground(t *testing.T) {
	for _, c := range []struct {
		name  string
		grays bool
		color color.Color
		want  display.Bar
	}{
		{"dark", true, color.Black, screen.DarkBar},
		{"light", true, color.White, screen.LightBar},
		{"no answer", true, nil, screen.ReverseBar},
		{"16 colors", false, color.Black, screen.ReverseBar},
	} {
		e := New(&screen.Unicode)
		defer e.Close()
		e.Grays = c.grays
		if asks := e.AskBackground() != nil; asks != c.grays {
			t.Errorf("%s: asks %v", c.name, asks)
		}
		if e.Background(tea.BackgroundColorMsg{Color: c.color}); e.Glyphs.Bar != c.want {
			t.Errorf("%s: bar %d, want %d", c.name, e.Glyphs.Bar, c.want)
		}
		if screen.Unicode.Bar != screen.ReverseBar {
			t.Errorf("%s: the bar of another explorer changed", c.name)
		}
	}
}
