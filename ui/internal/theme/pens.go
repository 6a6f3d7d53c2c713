// Package theme says how the explorer's text looks. What a run of text is, is a [Role] (roles.go). A
// [Theme] gives each role a [lipgloss.Style]. It is made of a [Source], in the words that users write (words.go); each
// that is built in stands in a file of its own, such as nord.theme, and all are listed in source.go. [Pens] are a
// theme's styles as escape sequences, prepared once for a terminal (pens.go; besides, only screen.Underline writes
// any), because rows are drawn in hundreds of spans a frame. How users write a style is in words.go.
package theme

import (
	"image/color"
	"math"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"
)

// Pen draws text in a style: the parameters of an escape sequence; "" for plain text.
type Pen string

const (
	boldPen    Pen = "1"
	faintPen   Pen = "2"
	reversePen Pen = "7"
)

// AppendSwitch appends the escape sequence that switches a terminal from the pen now to p.
func (p Pen) AppendSwitch(b []byte, now Pen) []byte {
	if p == now {
		return b
	}
	b = append(b, "\x1b["...)
	if now != "" && p != "" {
		b = append(b, "0;"...)
	}
	return append(append(b, p...), 'm')
}

// Link returns a text that leads to a file, in terminals that know links.
func Link(path, text string) string {
	whole, err := filepath.Abs(path)
	if err != nil {
		return text
	}
	return ansi.SetHyperlink((&url.URL{Scheme: "file", Path: filepath.ToSlash(whole)}).String()) + text + ansi.ResetHyperlink()
}

// Pens are the pens of a theme on one terminal. Nil is for [Terminal] on an unknown one.
type Pens struct {
	text, match, bar [RoleCount]Pen // of a role, of a match in it, and of it on the cursor's line
	current          Pen            // of a match on the cursor's line
	border, page     color.Color    // of what floats
	flat             bool           // chips have no background
	boxes            [8][2]Pen      // filled with the hues, in two tones; "" with few colors
}

// Pens prepares the pens for a terminal. Colors become the nearest in its profile, if that is known.
func (t *Theme) Pens(b Background, profile colorprofile.Profile) *Pens {
	var styles Styles
	switch profile {
	case colorprofile.NoTTY, colorprofile.ASCII:
		styles = Terminal().In(UnknownBackground) // what a theme says with color only would not be seen
	case colorprofile.Unknown, colorprofile.ANSI:
		styles = t.In(UnknownBackground)
	default:
		styles = t.on(b)
	}
	p, bar, match := new(Pens), pen(styles.Of(CursorLine), profile), pen(styles.lit(), profile)
	page, painted := styles.page()
	colors := lipgloss.NewStyle().Foreground(page.GetForeground()).Background(page.GetBackground()) // without attributes
	for r := range RoleCount {
		style := styles.Of(r)
		above := pen(style, profile) // on the cursor's line
		text := above
		if painted {
			own := style
			style = style.Inherit(colors)
			if own = own.Foreground(style.GetForeground()); r == Plain {
				own = own.UnsetBackground()
			}
			text, above = pen(style, profile), pen(own, profile)
		}
		p.text[r], p.match[r], p.bar[r] = text, text.under(match), above.onBar(bar)
	}
	p.current = p.text[CurrentMatch]
	p.border, p.page = styles.Of(Accent).GetForeground(), page.GetBackground()
	p.flat = styles.Of(Chip).GetBackground() == lipgloss.NoColor{}
	for i := range p.boxes {
		if c := styles.Of(Hue1 + Role(i)).GetForeground(); exact(c) {
			p.boxes[i] = [2]Pen{pen(box(c), profile), pen(box(lipgloss.Darken(c, 0.16)), profile)}
		}
	}
	return p
}

// box is the style of text on a color: black or white, whichever is easier to read.
func box(c color.Color) lipgloss.Style {
	text := color.Color(color.Black)
	if contrast(color.White, c) > contrast(text, c) {
		text = color.White
	}
	return lipgloss.NewStyle().Foreground(text).Background(c)
}

// Box returns the pen of a box that is filled with a hue, in one of two tones; "" where the terminal has few colors.
func (p *Pens) Box(hue Role, tone int) Pen {
	if p == nil {
		return ""
	}
	return p.boxes[hue-Hue1][tone]
}

var standardPens = sync.OnceValue(func() *Pens { return Terminal().Pens(UnknownBackground, colorprofile.Unknown) })

// Of returns the pen of a role; cursor means on the cursor's line, match within a match of a search.
func (p *Pens) Of(r Role, cursor, match bool) Pen {
	if p == nil {
		p = standardPens()
	}
	switch {
	case cursor && match:
		return p.current
	case cursor:
		return p.bar[r]
	case match:
		return p.match[r]
	}
	return p.text[r]
}

func (p *Pens) Border() lipgloss.Style {
	if p == nil {
		p = standardPens()
	}
	return lipgloss.NewStyle().Foreground(p.border).Background(p.page)
}

// Flat reports whether chips have no background of their own.
func (p *Pens) Flat() bool { return p == nil || p.flat }

// onBar returns a text's pen on the cursor's line. Faint text is drawn plain there: on gray it would be
// hard to read. So are colors on a reversed bar, where they would be backgrounds.
func (p Pen) onBar(bar Pen) Pen {
	switch {
	case bar == reversePen && (p == boldPen || strings.HasPrefix(string(p), string(boldPen)+";")):
		return reversePen + ";" + boldPen
	case bar == reversePen, p == faintPen:
		return bar
	}
	return bar.under(p)
}

// under adds the parameters of a pen on top of p.
func (p Pen) under(top Pen) Pen {
	if p == "" || top == "" {
		return p + top
	}
	return p + ";" + top
}

// pen returns the pen of a style on a terminal.
func pen(s lipgloss.Style, profile colorprofile.Profile) Pen {
	var parameters ansi.Style
	for _, a := range attributes {
		if a.has(s) {
			parameters = append(parameters, ansi.NewStyle(a.code)...)
		}
	}
	if c := shown(s.GetForeground(), profile); c != nil {
		parameters = parameters.ForegroundColor(c)
	}
	if c := shown(s.GetBackground(), profile); c != nil {
		parameters = parameters.BackgroundColor(c)
	}
	return Pen(strings.Join(parameters, ";"))
}

// shown returns what a terminal shows of a color; nil if nothing.
func shown(c color.Color, profile colorprofile.Profile) color.Color {
	switch {
	case c == lipgloss.NoColor{}:
		return nil
	case profile == colorprofile.Unknown:
		return c
	case profile == colorprofile.ANSI256 && exact(c):
		return indexed(c)
	}
	return profile.Convert(c)
}

// lab is a color in OKLab: how light it is, then how green or red and how blue or yellow.
type lab [3]float64

// cube are the colors from 16 on of a terminal that has 256.
var cube = sync.OnceValue(func() (all [240]lab) {
	for i := range all {
		all[i] = labOf(ansi.IndexedColor(16 + i))
	}
	return all
})

// indexed returns the color of 256 that is nearest to another. What the library returns has another lightness: it makes
// dark gray teal, and text on it hard to read.
func indexed(c color.Color) ansi.IndexedColor {
	of, nearest, least := labOf(c), 0, math.Inf(1)
	for i, l := range cube() {
		light, a, b := of[0]-l[0], of[1]-l[1], of[2]-l[2]
		if d := 1.5*light*light + a*a + b*b; d < least {
			nearest, least = i, d
		}
	}
	return ansi.IndexedColor(16 + nearest)
}

func labOf(c color.Color) (of lab) {
	exact, _ := colorful.MakeColor(c)
	of[0], of[1], of[2] = exact.OkLab()
	return of
}
