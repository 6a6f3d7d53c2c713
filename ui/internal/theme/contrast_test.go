package theme

import (
	"image/color"
	"math"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// grounds are backgrounds of terminals that people have: black, those of VS Code, Gruvbox, One Dark, Solarized and
// Nord; and white, those of Solarized, Catppuccin and Gruvbox.
var grounds = map[Background][]string{
	DarkBackground:  {"#000000", "#1e1e1e", "#282828", "#282c34", "#002b36", "#2e3440"},
	LightBackground: {"#ffffff", "#fdf6e3", "#eff1f5", "#fbf1c7"},
}

// TestContrast: in each theme that is built in, each text is legible on what it is drawn on: the background, the
// cursor's line, matches. With 256 colors it nearly is.
func TestContrast(t *testing.T) {
	for _, s := range builtin() {
		for b, all := range grounds {
			for _, ground := range all {
				for _, w := range s.Theme().Weak(b, lipgloss.Color(ground)) {
					t.Errorf("%s on %s: %s in %s: %s on %s has %.2f, not %.1f", s.Name, ground, w.Role.Name(), w.Where.Name(), w.Text, w.Ground, w.Ratio, w.Least)
				}
				for _, w := range s.Theme().in256().Weak(b, indexed(lipgloss.Color(ground))) {
					if w.Ratio < w.Least*0.85 {
						t.Errorf("%s on %s, 256 colors: %s in %s: %s on %s has %.2f, not %.1f", s.Name, ground, w.Role.Name(), w.Where.Name(), w.Text, w.Ground, w.Ratio, w.Least)
					}
				}
			}
		}
	}
}

// in256 returns the theme as a terminal with 256 colors shows it.
func (t *Theme) in256() *Theme {
	own := &Source{Dark: make(map[string]string), Light: make(map[string]string)}
	for _, b := range []Background{DarkBackground, LightBackground} {
		for r := range RoleCount {
			style := t.In(b).Of(r)
			if c := shown(style.GetForeground(), colorprofile.ANSI256); c != nil {
				style = style.Foreground(c)
			}
			if c := shown(style.GetBackground(), colorprofile.ANSI256); c != nil {
				style = style.Background(c)
			}
			own.on(b)[r.Name()] = Spell(style)
		}
	}
	return &Theme{[]*Source{own}}
}

// neighbors are roles that stand side by side, and what else than a color tells them apart: a sign or a word on the
// screen; "" if a theme must.
var neighbors = []struct {
	a, b Role
	sign string
}{
	{Match, Plain, ""}, {Match, CurrentMatch, ""}, {CursorLine, Plain, "the cursor's mark"},
	{Method, Plain, ""}, {Method, Faint, ""}, {Bold, Plain, ""}, {Faint, Plain, ""}, {Alarm, Plain, ""}, {Alarm, Exception, ""},
	{Added, Removed, "+ and -"}, {Added, Edited, "+ and !"}, {Removed, Edited, "- and !"},
	{Result, Exception, "throw, threw"}, {Result, Unfinished, ""}, {Unfinished, Exception, ""},
	{StringText, NumberText, "quotes"}, {StringText, Plain, "quotes"}, {NumberText, Plain, "digits"},
	{Accent, Faint, ""}, {Accent, Plain, "marks, and the lines of titles"},
	{FieldName, VariableName, "a dot before the name"}, {VariableName, ArrayName, "brackets after the name"}, {FieldName, ArrayName, "brackets after the name"},
	{Keyword, Method, "parentheses after the name"}, {Alarm, Keyword, "words of their own"},
}

// TestNotByHueAlone: roles that stand side by side differ in a sign, an attribute or luminance, not only in their hue.
func TestNotByHueAlone(t *testing.T) {
	for _, s := range builtin() {
		all := s.Theme()
		for b, ground := range grounds {
			styles := all.on(b)
			for _, n := range neighbors {
				if n.sign == "" && !apart(styles, n.a, n.b, lipgloss.Color(ground[0])) {
					t.Errorf("%s, background %d: only the hue tells %s and %s apart", s.Name, b, n.a.Name(), n.b.Name())
				}
			}
		}
	}
}

// apart reports whether two roles differ in an attribute, or clearly in the luminance of the text or of what is below it.
func apart(s Styles, a, b Role, ground color.Color) bool {
	for _, at := range attributes {
		if at.has(s.Of(a)) != at.has(s.Of(b)) {
			return true
		}
	}
	text, on := s.colors(a, a)
	text2, on2 := s.colors(b, b)
	far := func(x, y, without color.Color) bool {
		if x == (lipgloss.NoColor{}) {
			x = without
		}
		if y == (lipgloss.NoColor{}) {
			y = without
		}
		return exact(x) && exact(y) && contrast(x, y) >= 1.3
	}
	own := color.Color(color.White) // about the terminal's own text
	if luminance(ground) > 0.5 {
		own = color.Black
	}
	return far(text, text2, own) || far(on, on2, ground)
}

// TestBoxes: text in a box that is filled with a hue is legible, in both tones, and the hues are unlike each other.
func TestBoxes(t *testing.T) {
	for _, s := range builtin() {
		for b, in := range map[Background]Styles{DarkBackground: s.Theme().In(DarkBackground), LightBackground: s.Theme().In(LightBackground)} {
			seen := make(map[color.Color]bool)
			for r := Hue1; r <= Hue8; r++ {
				c := in.Of(r).GetForeground()
				if !exact(c) {
					continue // of the terminal's 16
				}
				if seen[c] {
					t.Errorf("%s, background %d: another hue is like %s", s.Name, b, r.Name())
				}
				seen[c] = true
				for _, on := range []color.Color{c, lipgloss.Darken(c, 0.16)} {
					of := box(on)
					if got := contrast(of.GetForeground(), of.GetBackground()); got < TextContrast {
						t.Errorf("%s, background %d, %s on %s: %.2f", s.Name, b, r.Name(), colorName(on), got)
					}
				}
			}
		}
		if few := s.Theme().Pens(DarkBackground, colorprofile.ANSI); few.Box(Hue1, 0) != "" {
			t.Errorf("%s fills boxes with one of 16 colors", s.Name)
		}
	}
	if p := Named(builtin(), Standard).Theme().Pens(DarkBackground, colorprofile.ANSI256); p.Box(Hue3, 0) == p.Box(Hue3, 1) || p.Box(Hue3, 0) == "" {
		t.Errorf("with 256 colors: %q, %q", p.Box(Hue3, 0), p.Box(Hue3, 1))
	}
}

// TestRedIsForErrors: in themes with colors of their own no other text is red.
func TestRedIsForErrors(t *testing.T) {
	for _, s := range builtin() {
		for b := range grounds {
			for r := range RoleCount {
				c := s.Theme().on(b).Of(r).GetForeground()
				if !exact(c) || r == Alarm || r == Exception {
					continue
				}
				if h, saturation := hue(c); saturation > 0.25 && (h < 16 || h > 348) {
					t.Errorf("%s: %s is %s, as red as an error", s.Name, r.Name(), colorName(c))
				}
			}
		}
	}
}

// hue returns where a color is on the wheel, in degrees from red, and how far from gray.
func hue(c color.Color) (h, saturation float64) {
	r32, g32, b32, _ := c.RGBA()
	r, g, b := float64(r32)/0xffff, float64(g32)/0xffff, float64(b32)/0xffff
	most, least := max(r, g, b), min(r, g, b)
	d := most - least
	if d == 0 {
		return 0, 0
	}
	switch most {
	case r:
		h = math.Mod((g-b)/d+6, 6)
	case g:
		h = (b-r)/d + 2
	default:
		h = (r-g)/d + 4
	}
	return 60 * h, d / most
}

// TestRatio: the ratios of WCAG's own examples.
func TestRatio(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"#000", "#fff", 21}, {"#777777", "#ffffff", 4.48}, {"#1a1a1a", "#1a1a1a", 1}} {
		if got := contrast(lipgloss.Color(c.a), lipgloss.Color(c.b)); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s on %s: %.3f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}
