package theme

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// TestParse: the words of a style become the parameters of an escape sequence.
func TestParse(t *testing.T) {
	for text, want := range map[string]Pen{
		"": "", "none": "", "red": "31", "bright-red": "91", "BrightRed": "91", "gray": "90", "208": "38;5;208", "0": "38;5;0",
		"#ff8000": "38;2;255;128;0", "#f80": "38;2;255;136;0", "red bold": "1;31", "reverse dim": "2;7", "bold underline italic": "1;3;4",
		"on 236": "48;5;236", "white on blue bold": "1;37;44", "on #102030": "48;2;16;32;48", "on bright-black": "100",
	} {
		if s, err := Parse(text); err != nil || all(s) != want {
			t.Errorf("%q: %q, %v; want %q", text, all(s), err, want)
		}
	}
	for text, want := range map[string]string{
		"rot": `"rot" is no color: use black, red`, "256": "is no color", "-1": "is no color", "#12": "write #rrggbb", "#gggggg": "write #rrggbb",
		"red blue": `"blue" is a second color`, "on": "no color follows", "red on": "no color follows", "on on red": `"on" is a second`, "on red on blue": "",
	} {
		if s, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) && want != "" && text != "on on red" {
			t.Errorf("%q: %q, %v; want %q", text, all(s), err, want)
		}
	}
}

// TestRoles: each role has a name of its own, and its default is spelled as it is read.
func TestRoles(t *testing.T) {
	names := make(map[string]bool)
	for r := range RoleCount {
		if r.Name() == "" || r.Does() == "" || names[r.Name()] {
			t.Errorf("role %d: %q, %q", r, r.Name(), r.Does())
		}
		names[r.Name()] = true
		want := all(Terminal().In(UnknownBackground).Of(r))
		text := Spell(Terminal().In(UnknownBackground).Of(r))
		if got, err := Parse(text); err != nil || all(got) != want {
			t.Errorf("%s is spelled %q: %q, %v; want %q", r.Name(), text, all(got), err, want)
		}
	}
}

// TestSpell: what is spelled is read as the same style.
func TestSpell(t *testing.T) {
	for _, text := range []string{"", "red", "bold bright-red on bright-black", "dim italic underline reverse 208 on 0", "#ff8000 on #000001"} {
		if s, err := Parse(text); err != nil || Spell(s) != text {
			t.Errorf("%q: %q, %v", text, Spell(s), err)
		}
	}
}

// all returns the pen of a style on a terminal with all colors.
func all(s lipgloss.Style) Pen { return pen(s, colorprofile.Unknown) }

// FuzzParse: whatever a user writes, an escape sequence has only numbers in it.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"bold red on #303030", "#f80", "208", "bright-cyan on 17 reverse", "on", "none"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err == nil && strings.Trim(string(all(s)), "0123456789;") != "" {
			t.Errorf("%q: %q", text, all(s))
		}
	})
}
