package ui

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// The size of a cell in pixels; fonts of any width are stretched to it.
const cellWidth, cellHeight, baseline, margin = 8.4, 17, 13, 10

// terminal is what a picture needs to know about the terminal: its background, its color of text, and its first 16
// colors.
type terminal struct {
	background, text string
	palette          [16]string
}

var terminals = map[string]terminal{
	"dark": {"#16181d", "#c8ccd4", [16]string{
		"#1b1d23", "#e06c75", "#98c379", "#d9b36c", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4",
		"#7a8291", "#ef8a92", "#b1d995", "#ecc88a", "#82c4ff", "#d89bea", "#74d0db", "#ffffff",
	}},
	"light": {"#fbfbfa", "#2a2e36", [16]string{
		"#2a2e36", "#c0392b", "#2f7d32", "#9a6700", "#1f63b5", "#8e3ba8", "#0f7480", "#d0d4da",
		"#6b7280", "#d0342c", "#358a39", "#ad7500", "#2a72cc", "#9c48b8", "#158592", "#fbfbfa",
	}},
}

// svg draws what a terminal of a size shows.
func (t terminal) svg(v tea.View, width, height int) []byte {
	screen := uv.NewScreenBuffer(width, height)
	uv.NewStyledString(v.Content).Draw(screen, screen.Bounds())
	if c := v.Cursor; c != nil {
		screen.CellAt(c.X, c.Y).Style.Attrs ^= uv.AttrReverse
	}
	var boxes, texts bytes.Buffer
	for y := range height {
		for x := 0; x < width; {
			x = t.box(&boxes, screen, x, y)
		}
		for x := 0; x < width; {
			x = t.run(&texts, screen, x, y)
		}
	}
	wide, high := float64(width)*cellWidth+2*margin, height*cellHeight+2*margin
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d">`+"\n", wide, high, wide, high)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", t.background)
	fmt.Fprintf(&out, "<g shape-rendering=\"crispEdges\">\n%s</g>\n", &boxes)
	fmt.Fprintf(&out, `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="%s" xml:space="preserve">`+"\n%s</g>\n</svg>\n", t.text, &texts)
	return out.Bytes()
}

// box draws the background of the cell at x and of those after it with the same, and returns where the next begins.
func (t terminal) box(w *bytes.Buffer, screen uv.ScreenBuffer, x, y int) (next int) {
	_, fill := t.colors(screen.CellAt(x, y).Style)
	for next = x + 1; next < screen.Width(); next++ {
		if _, other := t.colors(screen.CellAt(next, y).Style); other != fill {
			break
		}
	}
	if fill != t.background {
		fmt.Fprintf(w, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", margin+float64(x)*cellWidth, margin+y*cellHeight, float64(next-x)*cellWidth, cellHeight, fill)
	}
	return next
}

// run draws the text of the cell at x and of those after it with the same style, up to a gap.
func (t terminal) run(w *bytes.Buffer, screen uv.ScreenBuffer, x, y int) (next int) {
	first := screen.CellAt(x, y)
	var text strings.Builder
	for next = x; next < screen.Width(); next++ {
		c := screen.CellAt(next, y)
		gap := next+1 < screen.Width() && c.Content == " " && screen.CellAt(next+1, y).Content == " " && c.Style.Underline == 0
		if !c.Style.Equal(&first.Style) || gap {
			break
		}
		text.WriteString(c.Content)
	}
	blank := strings.TrimSpace(text.String()) == ""
	if next = max(next, x+1); blank && first.Style.Underline == 0 {
		return next
	}
	style, attributes := first.Style, ""
	if fill, _ := t.colors(style); fill != t.text {
		attributes += ` fill="` + fill + `"`
	}
	for _, a := range []struct {
		on   bool
		text string
	}{
		{style.Attrs&uv.AttrBold != 0, ` font-weight="bold"`}, {style.Attrs&uv.AttrFaint != 0, ` opacity="0.6"`},
		{style.Attrs&uv.AttrItalic != 0, ` font-style="italic"`}, {style.Underline != 0, ` text-decoration="underline"`},
	} {
		if a.on {
			attributes += a.text
		}
	}
	fmt.Fprintf(w, `<text x="%.1f" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs"%s>`, margin+float64(x)*cellWidth, margin+y*cellHeight+baseline, float64(next-x)*cellWidth, attributes)
	xml.EscapeText(w, []byte(strings.ReplaceAll(text.String(), " ", "\u00a0"))) // some viewers join blanks
	w.WriteString("</text>\n")
	return next
}

// colors returns the colors of text and background of a style.
func (t terminal) colors(s uv.Style) (text, background string) {
	text, background = t.color(s.Fg, t.text), t.color(s.Bg, t.background)
	if s.Attrs&uv.AttrReverse != 0 {
		return background, text
	}
	return text, background
}

func (t terminal) color(c color.Color, without string) string {
	switch c := c.(type) {
	case nil:
		return without
	case ansi.BasicColor:
		return t.palette[c]
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
