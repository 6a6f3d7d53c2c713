package theme

import (
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// TestProfiles: a color becomes what the terminal has, and without colors the attributes of the standard
// theme remain, not those that a user has chosen.
func TestProfiles(t *testing.T) {
	own := Terminal().With(map[string]string{"alarm": "underline #ff0000", "cursor-line": "on #0000ff", "field": "9 on 236"})
	for profile, want := range map[colorprofile.Profile][3]Pen{
		colorprofile.Unknown:   {"4;38;2;255;0;0", "48;2;0;0;255", "38;5;9;48;5;236"},
		colorprofile.TrueColor: {"4;38;2;255;0;0", "48;2;0;0;255", "38;5;9;48;5;236"},
		colorprofile.ANSI256:   {"4;38;5;196", "48;5;21", "38;5;9;48;5;236"},
		colorprofile.ANSI:      {"4;91", "104", "91;40"},
		colorprofile.ASCII:     {"1", "7", ""},
		colorprofile.NoTTY:     {"1", "7", ""},
	} {
		p := own.Pens(DarkBackground, profile)
		if got := [3]Pen{p.Of(Alarm, false, false), p.Of(Plain, true, false), p.Of(FieldName, false, false)}; got != want {
			t.Errorf("%s: %q, want %q", profile, got, want)
		}
	}
}

// TestWith: the user's styles do not change the theme itself, and an empty one for the cursor's line leaves
// the bar as it is.
func TestWith(t *testing.T) {
	standard := Terminal()
	own := standard.With(map[string]string{"text": "208 on 17", "cursor-line": "none"})
	if a, b := Spell(standard.In(UnknownBackground).Of(Plain)), Spell(own.In(UnknownBackground).Of(Plain)); a != "" || b != "208 on 17" {
		t.Errorf("text: %q, own %q", a, b)
	}
	if got := own.Pens(DarkBackground, colorprofile.ANSI256).Of(Bold, true, false); got != "48;5;236;1;38;5;208" {
		t.Errorf("the cursor's line: %q", got)
	}
}
