package theme

import (
	"fmt"
	"image/color"
	"slices"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"
)

// How much contrast text needs at least, and faint text, by level AA of the WCAG 2.1; and the track of bars.
const (
	TextContrast  = 4.5
	FaintContrast = 3.0
	trackContrast = 1.4
)

// Weak is text that is hard to read.
type Weak struct {
	Role         Role
	Where        Role // where it is drawn: CursorLine, Match, CurrentMatch; Plain for elsewhere
	Text, Ground string
	Ratio, Least float64
}

// String tells the colors, and how little contrast they have.
func (w Weak) String() string {
	where := ""
	if w.Where != Plain {
		where = " (" + w.Where.Name() + ")"
	}
	return fmt.Sprintf("%s on %s%s has a contrast of %.1f:1; from %g:1 on it is legible", w.Text, w.Ground, where, w.Ratio, w.Least)
}

// Weak returns the text that is hard to read on a dark background and on a light one. If the theme leaves the
// terminal's, that is taken to be #1e1e1e or white.
func (s *Source) Weak() (dark, light []Weak) {
	t := s.Theme()
	return t.Weak(DarkBackground, lipgloss.Color("#1e1e1e")), t.Weak(LightBackground, color.White)
}

// Weak returns the text of a variant that is hard to read, at most once a role. ground is the terminal's background,
// for themes that leave it. Colors of the terminal's own 16 are not known, and count as legible.
func (t *Theme) Weak(b Background, ground color.Color) (weak []Weak) {
	s := t.on(b)
	for r := range RoleCount {
		if r == CursorLine || r == Match || r == CurrentMatch {
			continue
		}
		for _, where := range []Role{Plain, CursorLine, Match} {
			if w := s.legibility(r, where, ground); w.Ratio < w.Least {
				weak = append(weak, w)
				break
			}
		}
	}
	if w := s.legibility(CurrentMatch, CurrentMatch, ground); w.Ratio < w.Least {
		weak = append(weak, w)
	}
	return weak
}

// legibility returns the contrast of a role where it is drawn; the greatest if it is not known.
func (s Styles) legibility(r, where Role, ground color.Color) Weak {
	w := Weak{Role: r, Where: where, Ratio: 21, Least: TextContrast}
	switch {
	case where == Match:
	case r == Faint:
		w.Least = FaintContrast
	case r == Track:
		w.Least = trackContrast
	}
	text, on := s.colors(r, where)
	if on == (lipgloss.NoColor{}) {
		on = ground
	}
	if exact(text) && exact(on) {
		w.Text, w.Ground, w.Ratio = colorName(text), colorName(on), contrast(text, on)
	}
	return w
}

// colors returns the colors that a role is drawn in.
func (s Styles) colors(r, where Role) (text, on color.Color) {
	var style lipgloss.Style // of what is on top, then of what is below
	if where == Match {
		style = s.lit()
	}
	page, painted := s.page()
	if r != Plain || !painted {
		style = style.Inherit(s.Of(r))
	}
	if where == CursorLine {
		if style = style.Inherit(s.Of(CursorLine)); s.Of(CursorLine).GetReverse() {
			return lipgloss.NoColor{}, lipgloss.NoColor{} // colors are not drawn there
		}
	}
	if painted {
		style = style.Inherit(page)
	}
	text, on = style.GetForeground(), style.GetBackground()
	if style.GetReverse() {
		text, on = on, text
	}
	return text, on
}

// exact reports whether a color is the same on all terminals.
func exact(c color.Color) bool {
	switch c := c.(type) {
	case nil, lipgloss.NoColor, ansi.BasicColor:
		return false
	case ansi.IndexedColor:
		return c >= 16
	}
	return true
}

// contrast returns the ratio of the luminances of two colors, from 1 to 21.
func contrast(a, b color.Color) float64 {
	l := []float64{luminance(a), luminance(b)}
	slices.Sort(l)
	return (l[1] + 0.05) / (l[0] + 0.05)
}

func luminance(c color.Color) float64 {
	exact, _ := colorful.MakeColor(c)
	r, g, b := exact.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}
