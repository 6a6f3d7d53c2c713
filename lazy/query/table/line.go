package table

import (
	"strings"
	"unicode/utf8"

	"tracex/format"
	"tracex/lazy/query/display"
)

// Line is a line of a drawn table: its text, in which nothing needs an escape, and the styles of
// its parts, in order and without gaps.
type Line struct {
	Text  string
	Spans []format.Span
}

// From returns the line from a byte on.
func (l Line) From(at int) Line {
	at = min(at, len(l.Text))
	return Line{l.Text[at:], moved(l.Spans, at)}
}

// To returns the line before a byte.
func (l Line) To(at int) Line {
	out := Line{Text: l.Text[:at]}
	for _, x := range l.Spans {
		if x.Start < at {
			out.Spans = append(out.Spans, format.Span{Start: x.Start, End: min(x.End, at), Style: x.Style})
		}
	}
	return out
}

// Add appends text in a style.
func (l *Line) Add(text string, style format.Style) {
	if text == "" {
		return
	}
	l.Spans = append(l.Spans, format.Span{Start: len(l.Text), End: len(l.Text) + len(text), Style: style})
	l.Text += text
}

// Append appends a line.
func (l *Line) Append(o Line) {
	for _, x := range o.Spans {
		l.Add(o.Text[x.Start:x.End], x.Style)
	}
}

// Value is the line as a value.
func (l Line) Value() Value { return Styled(l.Text, l.Spans) }

// line collects a Line.
type line struct {
	b     []byte
	spans []format.Span
	width int // cells
	g     *display.Glyphs
}

// put appends text in a style.
func (l *line) put(text string, s format.Style) { l.styled(text, styled(s)) }

// styled appends text with the styles of its parts.
func (l *line) styled(text string, spans []format.Span) {
	for i := 0; i < len(text); {
		for len(spans) > 1 && spans[0].End <= i {
			spans = spans[1:]
		}
		style, end := Plain, len(text)
		if len(spans) > 0 {
			style = spans[0].Style
		}
		if len(spans) > 1 {
			end = spans[0].End
		}
		out, w, n := l.g.NextCells(text[i:], end-i)
		l.cell(out, w, style)
		i += n
	}
}

// cell appends output that takes w cells.
func (l *line) cell(out string, w int, s format.Style) {
	if n := len(l.spans); n > 0 && l.spans[n-1].Style == s {
		l.spans[n-1].End += len(out)
	} else {
		l.spans = append(l.spans, format.Span{Start: len(l.b), End: len(l.b) + len(out), Style: s})
	}
	l.b = append(l.b, out...)
	l.width += w
}

// space appends n blanks.
func (l *line) space(n int) {
	if n > 0 {
		l.cell(strings.Repeat(" ", n), n, Plain)
	}
}

// until appends blanks up to a column of the screen.
func (l *line) until(x int) { l.space(x - l.width) }

// cut appends as much of a text as fits width cells, with a sign where something is missing. In the middle
// it is the end of a class that is missing, if the name of the method fits.
func (l *line) cut(text string, spans []format.Span, width int, middle bool) {
	more := len([]rune(l.g.More))
	head, rest := l.g.TakeCells(text, width)
	switch {
	case rest == "":
		l.styled(text, spans)
		return
	case width < more:
		l.styled(head, spans)
		return
	case middle && width >= more+2:
		room := width - more
		tail := member(text)
		if _, rest := l.g.TakeCells(text[tail:], room-1); tail > 0 && rest == "" {
			head, _ = l.g.TakeCells(text, room-l.g.TextWidth(text[tail:]))
		} else {
			head, _ = l.g.TakeCells(text, (room+1)/2)
			tail = end(text, room/2, l.g)
		}
		l.styled(head, spans)
		l.put(l.g.More, Faint)
		l.styled(text[tail:], moved(spans, tail))
		return
	}
	head, _ = l.g.TakeCells(text, width-more)
	l.styled(head, spans)
	l.put(l.g.More, Faint)
}

// shifted appends a text like cut, without up to skip cells at its left if it does not fit.
func (l *line) shifted(text string, spans []format.Span, width int, middle bool, skip int) {
	more := len([]rune(l.g.More))
	if skip > 0 && width > more {
		if skip = min(skip, l.g.TextWidth(text)-width); skip > 0 {
			head, rest := l.g.TakeCells(text, skip+more)
			l.put(l.g.More, Faint)
			text, spans, width, middle = rest, moved(spans, len(head)), width-more, false
		}
	}
	l.cut(text, spans, width, middle)
}

// Heat returns the style of the bar of a share.
func Heat(share float64) format.Style {
	switch {
	case share >= 0.8:
		return Hot
	case share >= 0.5:
		return Warm
	}
	return Cool
}

// gauge appends the bar of a share.
func (l *line) gauge(share float64, width int) {
	const whole = 1 << 20
	bar, track := l.g.Gauge(int64(share*whole), whole, width)
	l.put(bar, Heat(share))
	l.put(track, Track)
}

// member returns where the name of a method begins in the text Class.method(…), with the dot; 0 if the text
// is another.
func member(text string) int {
	name, _, _ := strings.Cut(text, "(")
	if strings.ContainsRune(name, ' ') {
		return 0
	}
	return max(0, strings.LastIndexByte(name, '.'))
}

// end returns where the last width cells of a text begin, or fewer.
func end(text string, width int, g *display.Glyphs) int {
	const longest = 64 // bytes that a cell may be made of, as an estimate
	at := max(0, len(text)-width*longest)
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	for left := g.TextWidth(text[at:]); left > width; {
		_, w, n := g.NextCell(text[at:])
		at, left = at+n, left-w
	}
	return at
}

// moved returns the styles of the part of a text from a byte on.
func moved(spans []format.Span, from int) []format.Span {
	var out []format.Span
	for _, s := range spans {
		if s.End > from {
			out = append(out, format.Span{Start: max(0, s.Start-from), End: s.End - from, Style: s.Style})
		}
	}
	return out
}

// end returns the collected line.
func (l *line) end() Line { return Line{string(l.b), l.spans} }
