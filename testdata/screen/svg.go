//go:build ignore

// Command svg turns what `tmux capture-pane -p -e` prints into a picture:
//
//	tmux capture-pane -p -e | go run testdata/screen/svg.go > screen.svg
//
// It knows the escape sequences that tmux writes there, which are all SGR.
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The size of a cell in pixels; fonts of any width are stretched to it.
const cellWidth, cellHeight, baseline = 8.4, 18, 13.5

// palette are the first 16 colours, as a dark terminal has them.
var palette = [16]string{
	"#1b1d23", "#e06c75", "#98c379", "#d9b36c", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4",
	"#5c6370", "#ef8a92", "#b1d995", "#ecc88a", "#82c4ff", "#d89bea", "#74d0db", "#ffffff",
}

const background, foreground = "#16181d", "#c8ccd4"

type style struct {
	fg, bg                                   string // "" for the terminal's own
	bold, faint, italic, underline, reversed bool
}

// run is text of one style.
type run struct {
	style
	text  string
	cells int
}

func main() {
	var rows [][]run
	width := 0
	var s style
	for in := bufio.NewReader(os.Stdin); ; {
		line, err := in.ReadString('\n')
		if line != "" || err == nil {
			row := runs(strings.TrimSuffix(line, "\n"), &s)
			rows = append(rows, row)
			cells := 0
			for _, r := range row {
				cells += r.cells
			}
			width = max(width, cells)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "svg:", err)
			os.Exit(1)
		}
	}
	draw(os.Stdout, rows, width)
}

// runs takes a line apart; s is the style that it begins with, and ends with.
func runs(line string, s *style) (row []run) {
	for line != "" {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			if end := strings.IndexByte(rest, 'm'); end >= 0 {
				s.apply(strings.FieldsFunc(rest[:end], func(r rune) bool { return r == ';' || r == ':' }))
				line = rest[end+1:]
				continue
			}
		}
		end := strings.IndexByte(line[1:], '\x1b') + 1
		if end == 0 {
			end = len(line)
		}
		text := strings.Map(func(r rune) rune {
			if r < ' ' {
				return -1
			}
			return r
		}, line[:end])
		row = append(row, run{*s, text, ansi.StringWidth(text)})
		line = line[end:]
	}
	return row
}

// apply changes the style by the parameters of an SGR sequence.
func (s *style) apply(params []string) {
	if len(params) == 0 {
		*s = style{}
	}
	for len(params) > 0 {
		n, _ := strconv.Atoi(params[0])
		params = params[1:]
		switch {
		case n == 0:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.faint = true
		case n == 3:
			s.italic = true
		case n == 4:
			s.underline = true
		case n == 7:
			s.reversed = true
		case n == 22:
			s.bold, s.faint = false, false
		case n == 23:
			s.italic = false
		case n == 24:
			s.underline = false
		case n == 27:
			s.reversed = false
		case n == 38:
			s.fg, params = colour(params)
		case n == 48:
			s.bg, params = colour(params)
		case n == 39:
			s.fg = ""
		case n == 49:
			s.bg = ""
		case n >= 30 && n < 38:
			s.fg = palette[n-30]
		case n >= 40 && n < 48:
			s.bg = palette[n-40]
		case n >= 90 && n < 98:
			s.fg = palette[n-90+8]
		case n >= 100 && n < 108:
			s.bg = palette[n-100+8]
		}
	}
}

// colour reads what follows 38 or 48.
func colour(params []string) (string, []string) {
	at := func(i int) int { n, _ := strconv.Atoi(params[i]); return n }
	switch {
	case len(params) >= 4 && params[0] == "2":
		return fmt.Sprintf("#%02x%02x%02x", at(1), at(2), at(3)), params[4:]
	case len(params) >= 2 && params[0] == "5":
		return indexed(at(1)), params[2:]
	}
	return "", nil
}

// indexed is a colour of the palette of 256: 16 of the terminal's, a cube of
// 6×6×6, 24 greys.
func indexed(n int) string {
	switch {
	case n < 16:
		return palette[max(n, 0)]
	case n < 232:
		level := func(v int) int { return min(v, 1)*55 + v*40 }
		return fmt.Sprintf("#%02x%02x%02x", level((n-16)/36), level((n-16)/6%6), level((n-16)%6))
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}

func draw(w io.Writer, rows [][]run, width int) {
	out := bufio.NewWriter(w)
	defer out.Flush()
	const margin = 12
	wide, high := float64(width)*cellWidth+2*margin, len(rows)*cellHeight+2*margin
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d">`+"\n", wide, high, wide, high)
	fmt.Fprintf(out, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
	fmt.Fprintf(out, `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="%s" xml:space="preserve">`+"\n", foreground)
	for y, row := range rows {
		x := 0
		for _, r := range row {
			r.draw(out, margin+float64(x)*cellWidth, margin+y*cellHeight)
			x += r.cells
		}
	}
	fmt.Fprintln(out, "</g>\n</svg>")
}

func (r run) draw(w io.Writer, x float64, y int) {
	fg, bg := r.fg, r.bg
	if r.reversed {
		if fg == "" {
			fg = foreground
		}
		if bg == "" {
			bg = background
		}
		fg, bg = bg, fg
	}
	length := float64(r.cells) * cellWidth
	if bg != "" {
		fmt.Fprintf(w, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x, y, length, cellHeight, bg)
	}
	if strings.TrimSpace(r.text) == "" {
		return
	}
	fmt.Fprintf(w, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs"`, x, float64(y)+baseline, length)
	for _, a := range []struct {
		on   bool
		text string
	}{
		{fg != "", ` fill="` + fg + `"`}, {r.bold, ` font-weight="bold"`}, {r.faint, ` opacity="0.6"`},
		{r.italic, ` font-style="italic"`}, {r.underline, ` text-decoration="underline"`},
	} {
		if a.on {
			io.WriteString(w, a.text)
		}
	}
	// No-break spaces: some viewers join others.
	fmt.Fprintf(w, ">%s</text>\n", html.EscapeString(strings.ReplaceAll(r.text, " ", "\u00a0")))
}
