package theme

import (
	"slices"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// TestBuiltin: each theme that is built in has a name of its own, and names roles and styles as users do.
func TestBuiltin(t *testing.T) {
	known := make(map[string]bool)
	for r := range RoleCount {
		known[r.Name()] = true
	}
	for i, s := range builtin() {
		if slices.Index(Names(builtin()), s.Name) != i || s.About == "" {
			t.Errorf("%q is there twice", s.Name)
		}
		for _, words := range []map[string]string{s.Every, s.Dark, s.Light} {
			for role, text := range words {
				if _, err := Parse(text); err != nil || !known[role] {
					t.Errorf("%s: %s = %q: %v", s.Name, role, text, err)
				}
			}
		}
	}
}

// TestSource: a user's theme is its base with its own styles on top, those for dark and light backgrounds last.
func TestSource(t *testing.T) {
	mine := &Source{
		Name: "mine", Base: "nord", File: "mine.toml",
		Every: map[string]string{"method": "underline", "number": "208", "nonsense": "red"}, Dark: map[string]string{"number": "bold red", "text": "rot"},
	}
	own, base := mine.Theme(), Named(builtin(), "nord").Theme()
	for _, c := range []struct{ got, want string }{
		{Spell(own.In(DarkBackground).Of(Method)), "underline"}, {Spell(own.In(DarkBackground).Of(NumberText)), "bold red"}, {Spell(own.In(LightBackground).Of(NumberText)), "208"},
		{Spell(own.In(UnknownBackground).Of(NumberText)), "208"}, {Spell(own.In(DarkBackground).Of(Plain)), Spell(base.In(DarkBackground).Of(Plain))}, {Spell(own.In(LightBackground).Of(Accent)), Spell(base.In(LightBackground).Of(Accent))},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	for _, base := range []string{"", "no-theme"} {
		own := (&Source{Name: "mine", File: "mine.toml", Base: base}).Theme()
		if *own.Pens(DarkBackground, colorprofile.TrueColor) != *Named(builtin(), Standard).Theme().Pens(DarkBackground, colorprofile.TrueColor) {
			t.Errorf("base %q is not that of those who choose none", base)
		}
	}
}

// TestPage: a theme with a background of its own paints it below all text, and needs no answer from the terminal.
func TestPage(t *testing.T) {
	p := Named(builtin(), "nord").Theme().Pens(UnknownBackground, colorprofile.TrueColor)
	for _, c := range []struct {
		got, want Pen
	}{
		{p.Of(Plain, false, false), "38;2;216;222;233;48;2;46;52;64"}, {p.Of(Bold, false, false), "1;38;2;216;222;233;48;2;46;52;64"},
		{p.Of(StringText, false, false), "38;2;163;190;140;48;2;46;52;64"}, {p.Of(Plain, true, false), "48;2;59;66;82;38;2;216;222;233"},
		{p.Of(StringText, true, false), "48;2;59;66;82;38;2;163;190;140"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	if p := Named(builtin(), Standard).Theme().Pens(UnknownBackground, colorprofile.TrueColor); *p != *Terminal().Pens(UnknownBackground, colorprofile.TrueColor) {
		t.Error("without a background of its own, a theme needs the terminal's")
	}
	for _, profile := range []colorprofile.Profile{colorprofile.ANSI, colorprofile.ASCII} {
		if *Named(builtin(), "nord").Theme().Pens(DarkBackground, profile) != *Terminal().Pens(DarkBackground, profile) {
			t.Errorf("%s: not the terminal's theme", profile)
		}
	}
}
