package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"tracex/ui/internal/uitest"
)

// colored starts an explorer in a dark terminal with all colors.
func colored(t *testing.T, width, height int, o Options) *driver {
	d := drive(t, uitest.Recorded(t, "gson.dump"), width, height, o)
	d.m.env.Paint(d.m.env.Theme, colorprofile.TrueColor)
	d.send(tea.BackgroundColorMsg{Color: lipgloss.Color("#101010")})
	return d
}

// in reports whether the screen has a color somewhere.
func (d *driver) in(color string) bool { return strings.Contains(d.view(), color) }

// Colors that only one theme has: of its accent, or of its background.
const (
	ofTracex   = "38;2;108;182;255"
	ofLight    = "38;2;11;98;196"
	ofNord     = "48;2;46;52;64"
	ofContrast = "48;2;0;0;0"
	ofMine     = "38;2;1;2;3"
)

// TestThemeList: the screen is drawn in the theme of the list's cursor; Enter keeps that, and however else the list is
// closed, the one before returns.
func TestThemeList(t *testing.T) {
	mine := &Theme{Name: "mine", File: "~/themes/mine.toml", Every: map[string]string{"accent": "#010203"}}
	for _, c := range []struct{ keys, want string }{
		{"", ofTracex}, {"down", ofContrast}, {"G", ofMine}, {"G up", ofNord}, {"/ n o r d", ofNord}, {"/ q q q", ofTracex},
		{"down esc", ofTracex}, {"down q", ofTracex}, {"down enter", ofContrast}, {"G up enter", ofNord}, {"down : q q q esc esc", ofTracex},
		{"down : t h r e a d s enter", ofTracex}, {"down : t h e m e space n o r d enter", ofNord}, {"G enter : t h e m e enter", ofMine},
	} {
		d := colored(t, 100, 30, Options{Config: "~/config", Themes: []*Theme{mine}})
		d.keys(": t h e m e enter").has("7 themes", "how it looks", "yours: ~/themes/mine.toml", "Enter keeps it until you quit")
		if d.keys(c.keys); !d.in(c.want) {
			t.Errorf("%s: no color of the theme in\n%q", c.keys, d.view())
		}
		for _, other := range []string{ofTracex, ofNord, ofContrast, ofMine} {
			if other != c.want && d.in(other) {
				t.Errorf("%s: there is %s, of another theme", c.keys, other)
			}
		}
	}
	d := colored(t, 100, 30, Options{Config: "~/config"})
	if d.keys(": t h e m e enter down down down enter"); message(d) != `to keep: theme = "catppuccin" under [open] in ~/config` {
		t.Errorf("%q", message(d))
	}
	// Over an answer the list returns to it.
	d.keys("T : t h e m e enter").has("6 themes")
	d.keys("enter").has("top · ")
	// Without room, only the list.
	d = colored(t, 40, 10, Options{})
	if d.keys(": t h e m e enter"); strings.Contains(d.screen(), "looks") {
		t.Error(d.screen())
	}
}

// TestThemeCommand: a theme by its name, with its completion and a mistake in it.
func TestThemeCommand(t *testing.T) {
	d := colored(t, 80, 24, Options{Theme: "high-contrast", Colors: map[string]string{"accent": "#010203"}})
	if !d.in(ofContrast) || !d.in(ofMine) {
		t.Errorf("not the theme and the color of the options: %q", d.view())
	}
	d.keys(": t h e m e space g tab").has("gruvbox")
	d.keys("backspace enter").has("no theme gruvbo; there are tracex, high-contrast")
	if d.keys("x enter"); message(d) != "theme gruvbox" || d.in(ofContrast) || !d.in(ofMine) {
		t.Errorf("%q, %q", message(d), d.view())
	}
	if d := colored(t, 80, 24, Options{Theme: "no-such"}); !d.in(ofTracex) {
		t.Errorf("a theme that is gone: %q", d.view())
	}
}

// TestThemeFollowsTerminal: the variant is that for the terminal's background, also when that changes.
func TestThemeFollowsTerminal(t *testing.T) {
	d := colored(t, 80, 24, Options{Details: true})
	d.sent = nil
	d.send(uv.LightColorSchemeEvent{})
	if len(d.sent) != 1 || !d.in(ofTracex) {
		t.Errorf("the terminal is asked for its background: %v", d.sent)
	}
	if d.send(tea.BackgroundColorMsg{Color: lipgloss.Color("#ffffff")}); !d.in(ofLight) || d.in(ofTracex) {
		t.Errorf("not on a light background: %q", d.view())
	}
	d.m.env.Paint(d.m.env.Theme, colorprofile.ANSI)
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	if d.in("38;2") || !d.in("\x1b[94m") {
		t.Errorf("16 colors: %q", d.view())
	}
	d.keys(": t h e m e enter").has("with fewer than 256 colors")
}

// TestThemeKept: the line that tells how to keep a theme has room in 80 columns.
func TestThemeKept(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{Config: "~/.config/tracex/config.toml"})
	d.keys(":").typed("theme high-contrast").keys("enter").has(`to keep: theme = "high-contrast" under [open] in ~/.config/tracex/config.toml`)
}
