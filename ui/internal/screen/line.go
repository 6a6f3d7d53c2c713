package screen

import (
	"strings"

	"tracex/format"
)

// Line builds one line of the screen, of exactly width cells.
type Line struct {
	b      []byte
	Left   int // cells that are free
	now    string
	Glyphs *Glyphs
	Cursor bool // it is the cursor's line, drawn as the glyphs' bar
}

// NewLine returns an empty line of width cells.
func NewLine(width int, g *Glyphs) *Line { return &Line{Left: width, Glyphs: g} }

// to switches to a style; lit is for matches of a search.
func (l *Line) to(s Style, lit bool) {
	switch {
	case l.Cursor && lit:
		l.turn(code(l.Glyphs, currentMatch))
	case l.Cursor:
		l.turn(onBar(l.Glyphs, s))
	case lit:
		l.turn(both(code(l.Glyphs, int(s)), code(l.Glyphs, match)))
	default:
		l.turn(code(l.Glyphs, int(s)))
	}
}

// both joins parameters of escape sequences.
func both(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ";" + b
}

// turn switches to the parameters of an escape sequence.
func (l *Line) turn(code string) {
	if code == l.now {
		return
	}
	l.b = append(l.b, "\x1b["...)
	if l.now != "" && code != "" {
		l.b = append(l.b, "0;"...)
	}
	l.b = append(append(l.b, code...), 'm')
	l.now = code
}

// Space appends n blanks.
func (l *Line) Space(n int) {
	n = min(n, l.Left)
	if n <= 0 {
		return
	}
	l.to(Plain, false)
	for range n {
		l.b = append(l.b, ' ')
	}
	l.Left -= n
}

// Put appends text in a style, cut with "…" if it does not fit.
func (l *Line) Put(text string, s Style) *Line {
	l.Spans(text, Whole(text), Always(s), nil, 0)
	return l
}

// Spans appends text with the styles of its parts. lit are the byte ranges to highlight, in
// order; skip is how many cells are scrolled out on the left. If a range to highlight does not
// fit, the sign that cuts the text is highlighted.
func (l *Line) Spans(text string, spans []format.Span, of func(format.Style) Style, lit [][2]int, skip int) {
	more := len([]rune(l.Glyphs.More))
	// Where to cut if the text turns out not to fit.
	cut, cutLeft, cutNow := len(l.b), l.Left, l.now
	for i := 0; i < len(text); {
		out, w, n := NextCell(text[i:], l.Glyphs.ASCII)
		for len(spans) > 1 && spans[0].End <= i {
			spans = spans[1:]
		}
		for len(lit) > 0 && lit[0][1] <= i {
			lit = lit[1:]
		}
		if skip > 0 {
			skip -= w
			if skip < 0 { // half of a wide character
				l.Space(-skip)
			}
			i += n
			continue
		}
		if w > l.Left {
			l.b, l.Left, l.now = l.b[:cut], cutLeft, cutNow
			if l.Left >= more {
				l.to(Faint, len(lit) > 0)
				l.b = append(l.b, l.Glyphs.More...)
				l.Left -= more
			}
			return
		}
		s := Plain
		if len(spans) > 0 {
			s = of(spans[0].Style)
		}
		l.to(s, len(lit) > 0 && lit[0][0] <= i)
		l.b = append(l.b, out...)
		l.Left -= w
		i += n
		if l.Left >= more {
			cut, cutLeft, cutNow = len(l.b), l.Left, l.now
		}
	}
}

// End fills the line up and returns it.
func (l *Line) End() string {
	l.to(Plain, false)
	if l.Left > 0 {
		l.b = append(l.b, strings.Repeat(" ", l.Left)...)
		l.Left = 0
	}
	l.turn("")
	return string(l.b)
}

// Ends draws text at both ends of a line. It cuts the left text if both do not fit.
func Ends(left, right string, ls, rs Style, width int, g *Glyphs) string {
	l := NewLine(width, g)
	rw := TextWidth(right, g.ASCII)
	if right == "" || rw > width-10 {
		return l.Put(left, ls).End()
	}
	l.Left = width - rw - 1
	l.Put(left, ls)
	l.Left++
	l.Space(l.Left)
	l.Left = rw
	l.Put(right, rs)
	return l.End()
}

// Whole returns one span over an entire text.
func Whole(text string) []format.Span { return []format.Span{{Start: 0, End: len(text)}} }

// Always returns the same style for all parts of a text.
func Always(s Style) func(format.Style) Style { return func(format.Style) Style { return s } }
