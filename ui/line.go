package ui

import (
	"strings"

	"tracex/format"
)

// line builds one line of the screen, of exactly width cells.
type line struct {
	b     []byte
	left  int // cells that are free
	now   string
	over  bool // something did not fit
	g     *glyphs
	heavy bool // draw all bold: the line of the cursor
}

func newLine(width int, g *glyphs) *line { return &line{left: width, g: g} }

// to switches to a style; lit reverses it, for what a search has found.
func (l *line) to(s style, lit bool) {
	code := sgr[s]
	if lit {
		code = join(code, "7")
	}
	if l.heavy {
		code = join(code, "1")
	}
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

func join(code, more string) string {
	switch {
	case code == "":
		return more
	case more == "7":
		return code + ";7"
	}
	return code + ";1"
}

// space appends n blanks.
func (l *line) space(n int) {
	n = min(n, l.left)
	if n <= 0 {
		return
	}
	l.to(plain, false)
	for range n {
		l.b = append(l.b, ' ')
	}
	l.left -= n
}

// put appends text, cut with "…" where it does not fit.
func (l *line) put(text string, s style) *line {
	l.spans(text, whole(text), always(s), nil, 0)
	return l
}

// spans appends text with the styles of its parts. lit are the byte ranges to
// highlight, in order; skip is how many cells are scrolled out on the left.
func (l *line) spans(text string, spans []format.Span, of func(format.Style) style, lit [][2]int, skip int) {
	more := len([]rune(l.g.more))
	// Where to cut when the text turns out not to fit.
	cut, cutLeft, cutNow := len(l.b), l.left, l.now
	for i := 0; i < len(text); {
		out, w, n := nextCell(text[i:], l.g.ascii)
		for len(spans) > 1 && spans[0].End <= i {
			spans = spans[1:]
		}
		for len(lit) > 0 && lit[0][1] <= i {
			lit = lit[1:]
		}
		if skip > 0 {
			skip -= w
			if skip < 0 { // half of a wide character
				l.space(-skip)
			}
			i += n
			continue
		}
		if w > l.left {
			l.b, l.left, l.now, l.over = l.b[:cut], cutLeft, cutNow, true
			if l.left >= more {
				l.to(faint, false)
				l.b = append(l.b, l.g.more...)
				l.left -= more
			}
			return
		}
		s := plain
		if len(spans) > 0 {
			s = of(spans[0].Style)
		}
		l.to(s, len(lit) > 0 && lit[0][0] <= i)
		l.b = append(l.b, out...)
		l.left -= w
		i += n
		if l.left >= more {
			cut, cutLeft, cutNow = len(l.b), l.left, l.now
		}
	}
}

// end fills the line up and returns it.
func (l *line) end() string {
	l.to(plain, false)
	heavy := l.heavy
	l.heavy = false
	l.to(plain, false)
	l.heavy = heavy
	if l.left > 0 {
		l.b = append(l.b, strings.Repeat(" ", l.left)...)
		l.left = 0
	}
	return string(l.b)
}

// ends draws text at both ends of a line. What is on the left is cut when there
// is no room for both.
func ends(left, right string, ls, rs style, width int, g *glyphs) string {
	l := newLine(width, g)
	rw := textWidth(right, g.ascii)
	if right == "" || rw > width-10 {
		return l.put(left, ls).end()
	}
	l.left = width - rw - 1
	l.put(left, ls)
	l.left++
	l.space(l.left)
	l.left = rw
	l.put(right, rs)
	return l.end()
}

// whole is one span over all of a text.
func whole(text string) []format.Span { return []format.Span{{Start: 0, End: len(text)}} }

// always is the same style for all parts of a text.
func always(s style) func(format.Style) style { return func(format.Style) style { return s } }
