package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/ui/internal/screen"
)

// details is the pane about the row of the cursor.
type details struct {
	on   bool
	top  int // first line shown
	rows int // lines there are, as last drawn
	of   any // the row that top belongs to
}

func (m *Model) toggleDetails(int) tea.Cmd {
	m.details.on = !m.details.on
	m.details.top = 0
	return nil
}

func (m *Model) scrollDetails(n int) tea.Cmd {
	if !m.details.on {
		m.details.on = true
		return nil
	}
	m.details.top = max(0, m.details.top+n)
	return nil
}

// labelWidth is the width of the column of labels.
const labelWidth = 11

// sheet collects the lines of the details.
type sheet struct {
	width int
	g     *screen.Glyphs
	lines []string
	dense bool // there is no room for empty lines
}

// pair adds a label with its text, which goes on over as many lines as it takes.
func (s *sheet) pair(label, text string, st screen.Style) {
	s.wrap(label, labelWidth, text, screen.Whole(text), screen.Always(st))
}

// maxWrapped bounds the lines of a sheet.
const maxWrapped = 400

// wrap adds a text with its styles, broken at the width, from a column on. The
// label stands before its first line. It changes spans.
func (s *sheet) wrap(label string, at int, text string, spans []format.Span, of func(format.Style) screen.Style) {
	room := max(8, s.width-at-1)
	for first := true; first || text != ""; first = false {
		if len(s.lines) > maxWrapped {
			s.lines = append(s.lines, screen.NewLine(s.width, s.g).Put(s.g.More, screen.Faint).End())
			return
		}
		head, rest := screen.TakeCells(text, room, s.g.ASCII)
		if head == "" && text != "" { // an escape that is wider than the pane
			_, _, n := screen.NextCell(text, s.g.ASCII)
			head, rest = text[:n], text[n:]
		}
		// Better behind a blank, when there is one near.
		if i := strings.LastIndexByte(head, ' '); rest != "" && i > len(head)*2/3 {
			head, rest = text[:i+1], text[i+1:]
		}
		l := screen.NewLine(s.width, s.g)
		l.Put(label, screen.Faint)
		l.Space(max(at-(s.width-l.Left), min(len(label), 1)))
		l.Spans(head, spans, of, nil, 0)
		s.lines = append(s.lines, l.End())
		for i := range spans {
			spans[i].Start = max(0, spans[i].Start-len(head))
			spans[i].End = max(0, spans[i].End-len(head))
		}
		text, label = rest, ""
	}
}

func (s *sheet) title(text string) {
	s.lines = append(s.lines, screen.NewLine(s.width, s.g).Put(text, screen.Bold).End())
}

func (s *sheet) blank() {
	if s.dense {
		return
	}
	s.lines = append(s.lines, screen.NewLine(s.width, s.g).End())
}

// denseBelow is how many lines a pane must have for empty ones.
const denseBelow = 14

// view draws the pane: height lines of width cells.
func (d *details) view(m *Model, width, height int) []string {
	s := &sheet{width: width, g: m.g, dense: height < denseBelow}
	m.describeRow(s)
	if d.of != any(m.out.cursor) {
		d.of, d.top = m.out.cursor, 0
	}
	d.rows = len(s.lines)
	d.top = max(0, min(d.top, len(s.lines)-height))
	lines := s.lines[d.top:]
	if len(lines) > height {
		more := screen.Plural(int64(len(lines)-height+1), "more line") + ": } scrolls"
		lines = append(lines[:height-1:height-1], screen.NewLine(width, m.g).Put(more, screen.Faint).End())
	}
	for len(lines) < height {
		lines = append(lines, screen.NewLine(width, m.g).End())
	}
	return lines
}
