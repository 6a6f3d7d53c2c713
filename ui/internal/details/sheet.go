package details

import (
	"strings"

	"tracex/format"
	"tracex/ui/internal/screen"
)

// labelWidth is the width of the column of labels.
const labelWidth = 11

// sheet collects the lines of the details.
type sheet struct {
	width int
	g     *screen.Glyphs
	lines []string
	dense bool // there is no room for empty lines
}

// pair adds a label with its text, over as many lines as the text needs.
func (s *sheet) pair(label, text string, st screen.Style) {
	s.wrap(label, labelWidth, text, screen.Whole(text), screen.Always(st))
}

// maxWrapped bounds the lines of a sheet.
const maxWrapped = 400

// wrap adds a text with its styles, from a column on, broken at the width. The label goes
// before the first line. wrap changes spans.
func (s *sheet) wrap(label string, at int, text string, spans []format.Span, of func(format.Style) screen.Style) {
	room := max(8, s.width-at-1)
	for first := true; first || text != ""; first = false {
		if len(s.lines) > maxWrapped {
			s.lines = append(s.lines, screen.NewLine(s.width, s.g).Put(s.g.More, screen.Faint).End())
			return
		}
		head, rest := screen.TakeCells(text, room, s.g.ASCII)
		if head == "" && text != "" { // an escape wider than the pane
			_, _, n := screen.NextCell(text, s.g.ASCII)
			head, rest = text[:n], text[n:]
		}
		// Break after a blank if there is one nearby.
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
