package screen

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/lazy/query/table"
	"tracex/ui/internal/theme"
)

// Line builds one line of the screen, of exactly width cells.
type Line struct {
	b      []byte
	Left   int // cells that are free
	now    theme.Pen
	Glyphs *Glyphs
	Cursor bool      // it is the cursor's line, drawn as a bar
	Box    theme.Pen // that of a box that is drawn, whatever the roles; "" for none
}

// NewLine returns an empty line of width cells.
func NewLine(width int, g *Glyphs) *Line {
	const switches = 96 // bytes of the usual escape sequences
	return &Line{b: make([]byte, 0, max(0, width)+switches), Left: width, Glyphs: g}
}

// NewRow returns a line that begins with the mark of the cursor, or a blank; the cursor's line is a bar.
func NewRow(width int, cursor bool, g *Glyphs) *Line {
	l := NewLine(width, g)
	if l.Cursor = cursor; cursor {
		return l.Put(g.Cursor, theme.Accent)
	}
	l.Space(1)
	return l
}

// Fill returns exactly height lines: empty ones follow those that there are, and what is too much is left out.
func Fill(lines []string, width, height int, g *Glyphs) []string {
	for len(lines) < height {
		lines = append(lines, NewLine(width, g).End())
	}
	return lines[:max(0, height)]
}

// to switches to the pen of a role; lit is for matches of a search.
func (l *Line) to(r theme.Role, lit bool) {
	if l.Box != "" {
		l.turn(l.Box)
		return
	}
	l.turn(l.Glyphs.Pens.Of(r, l.Cursor, lit))
}

func (l *Line) turn(p theme.Pen) { l.b, l.now = p.AppendSwitch(l.b, l.now), p }

// Space appends n blanks.
func (l *Line) Space(n int) {
	n = min(n, l.Left)
	if n <= 0 {
		return
	}
	l.to(theme.Plain, false)
	for range n {
		l.b = append(l.b, ' ')
	}
	l.Left -= n
}

// Put appends text in a style, cut with "…" if it does not fit.
func (l *Line) Put(text string, s theme.Role) *Line {
	l.Spans(text, Whole(text), Always(s), nil, 0)
	return l
}

// Spans appends text with the styles of its parts. lit are the byte ranges to highlight, in order; if one does not fit,
// the sign that cuts the text is highlighted. skip is how many cells are scrolled out on the left.
func (l *Line) Spans(text string, spans []format.Span, of func(format.Style) theme.Role, lit [][2]int, skip int) {
	more := len([]rune(l.Glyphs.More))
	// Where to cut if the text turns out not to fit.
	cut, cutLeft, cutNow := len(l.b), l.Left, l.now
	for i := 0; i < len(text); {
		for len(spans) > 1 && spans[0].End <= i {
			spans = spans[1:]
		}
		for len(lit) > 0 && lit[0][1] <= i {
			lit = lit[1:]
		}
		most, match := l.Left-more, len(lit) > 0 && lit[0][0] <= i // most: cells that are drawn alike
		if len(spans) > 1 {
			most = min(most, spans[0].End-i)
		}
		switch {
		case skip > 0:
			most = skip
		case match:
			most = min(most, lit[0][1]-i)
		case len(lit) > 0:
			most = min(most, lit[0][0]-i)
		}
		out, w, n := l.Glyphs.NextCells(text[i:], most)
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
				l.to(theme.Faint, len(lit) > 0)
				l.b = append(l.b, l.Glyphs.More...)
				l.Left -= more
			}
			return
		}
		s := theme.Plain
		if len(spans) > 0 {
			s = of(spans[0].Style)
		}
		l.to(s, match)
		l.b = append(l.b, out...)
		l.Left -= w
		i += n
		if l.Left >= more {
			cut, cutLeft, cutNow = len(l.b), l.Left, l.now
		}
	}
}

// Extended returns a text with as much of what it may be extended by as fits into room cells: all, the names of parameters, or
// nothing.
func Extended(text string, spans []format.Span, extras []format.Extra, room int, g *Glyphs) (string, []format.Span, []format.Extra) {
	const bytes = 16 // of a cell, if it has that many: a row of megabytes must take no time
	if len(text) > bytes*room {
		return text, spans, nil
	}
	names := slices.DeleteFunc(slices.Clone(extras), func(x format.Extra) bool { return !x.Name })
	for _, with := range [][]format.Extra{extras, names} {
		if len(with) == 0 {
			continue
		}
		if wide, styles := format.WithExtras(text, spans, with); g.TextWidth(wide) <= room {
			return wide, styles, with
		}
	}
	return text, spans, nil
}

// Gauge appends a bar of width cells, on its track: the warmer, the more it shows.
func (l *Line) Gauge(part, whole int64, width int) {
	bar, track := l.Glyphs.Gauge(part, whole, width)
	l.Put(bar, OfTable(table.Heat(float64(part)/float64(whole)))).Put(track, theme.Track)
}

// End fills the line up and returns it.
func (l *Line) End() string {
	l.to(theme.Plain, false)
	l.Space(l.Left)
	l.turn("")
	return string(l.b)
}

// Ends draws text at both ends of a line. It cuts the left text if both do not fit.
func Ends(left, right string, ls, rs theme.Role, width int, g *Glyphs) string {
	l := NewLine(width, g)
	rw := g.TextWidth(right)
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
func Always(s theme.Role) func(format.Style) theme.Role {
	return func(format.Style) theme.Role { return s }
}

// ofTables are the roles of the parts of a table's line that have styles of their own.
var ofTables = [256]theme.Role{
	table.Faint: theme.Faint, table.Strong: theme.Bold, table.Track: theme.Track,
	table.Cool: theme.Accent, table.Warm: theme.Warm, table.Hot: theme.Hot,
}

// OfTable returns the role of a part of a table's line.
func OfTable(s format.Style) theme.Role {
	if s == table.Plain {
		return theme.Plain
	}
	return cmp.Or(ofTables[s], theme.OfSpan(s, format.ClassCall))
}

// OfHead is OfTable for heads: the one that orders the rows has the accent.
func OfHead(s format.Style) theme.Role {
	if s == table.Strong {
		return theme.Accent
	}
	return OfTable(s)
}

// Titled returns a rule with a title near one of its ends.
func Titled(leftTitle, rightTitle string, width int, g *Glyphs) string {
	return titled(leftTitle, rightTitle, theme.Plain, width, g)
}

// PaneTitle returns the rule above a pane; keys: the pane has the keys.
func PaneTitle(title string, keys bool, width int, g *Glyphs) string {
	if title = " " + g.CutEnd(title, width-6) + " "; keys {
		return titled(g.Cursor+title, "", theme.Accent, width, g)
	}
	return titled(title, "", theme.Plain, width, g)
}

func titled(leftTitle, rightTitle string, role theme.Role, width int, g *Glyphs) string {
	l := NewLine(width, g)
	rest := width - g.TextWidth(leftTitle) - g.TextWidth(rightTitle) - 2
	l.Put(g.Rule, theme.Faint).Put(leftTitle, role)
	l.Put(strings.Repeat(g.Rule, max(0, rest)), theme.Faint).Put(rightTitle, role).Put(g.Rule, theme.Faint)
	return l.End()
}

// styling is a change of style.
var styling = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-9;:]*m`) })

// Underline underlines the first cells of a line: a bar that needs no room.
func Underline(line string, cells int) string {
	if cells <= 0 {
		return line
	}
	on, off := ansi.NewStyle().Underline(true).String(), ansi.NewStyle().Underline(false).String()
	return on + styling().ReplaceAllString(ansi.Truncate(line, cells, ""), "$0"+on) + off + ansi.TruncateLeft(line, cells, "")
}

// windowBytes bounds the text before a part that Window makes visible: drawing a row of megabytes must take no time.
const windowBytes = 256 << 10

// Window returns how many cells of a text to leave out on the left, at least skip, so that a part, or its beginning, is
// visible in room cells. The first cell of a text with something left out is a sign of that.
func Window(text string, part [2]int, skip, room int, g *Glyphs) int {
	if part[0] > windowBytes || part[1] > len(text) || room < 1 {
		return skip
	}
	sign := g.TextWidth(g.More)
	from := g.TextWidth(text[:part[0]])
	to := from + g.TextWidth(text[part[0]:min(part[1], part[0]+room)])
	end := room + skip
	if part[1] < len(text) {
		end -= sign
	}
	if to <= end && (from >= skip+sign || skip == 0) {
		return skip
	}
	// A little text after the part, and, if there is room, some before it.
	return max(0, min(to-room+sign+8, from-sign))
}
