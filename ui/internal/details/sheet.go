package details

import (
	"slices"
	"strings"

	"tracex/format"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// labelWidth is the width of the column of labels.
const labelWidth = 11

// sheet collects the lines of the details.
type sheet struct {
	width int
	g     *screen.Glyphs
	dense bool // there is no room for titles of sections
	lines []string
	whole bool // a value is shown whole, as items in place of lines, and without a column of labels
	items []prompt.Item

	values []held // among the lines, in their order
	begun  int    // how many lines there were when the last section began
}

// pair adds a label with its text, over as many lines as the text needs.
func (s *sheet) pair(label, text string, st theme.Role) {
	s.wrap(label, labelWidth, text, screen.Whole(text), screen.Always(st))
}

// maxWrapped bounds the lines of a sheet, maxWhole those of a whole value.
const (
	maxWrapped = 400
	maxWhole   = 20_000
)

// room returns how many more lines there may be.
func (s *sheet) room() int {
	if s.whole {
		return maxWhole - len(s.items)
	}
	return maxWrapped - len(s.lines)
}

// add adds a line: a label, and from a column on a text with its styles.
func (s *sheet) add(label string, at int, text string, spans []format.Span, of func(format.Style) theme.Role) {
	if s.whole {
		s.items = append(s.items, prompt.Item{Cells: []prompt.Cell{{Text: text, At: at, Spans: slices.Clone(spans), Of: of}}})
		return
	}
	l := screen.NewLine(s.width, s.g)
	l.Put(label, theme.Faint)
	l.Space(max(at-(s.width-l.Left), min(len(label), 1)))
	l.Spans(text, spans, of, nil, 0)
	s.lines = append(s.lines, l.End())
}

// wrap adds a text with its styles, from a column on, broken at the width. The label goes
// before the first line. wrap changes spans.
func (s *sheet) wrap(label string, at int, text string, spans []format.Span, of func(format.Style) theme.Role) {
	room := max(8, s.width-at-1)
	for first := true; first || text != ""; first = false {
		if left := s.room(); left <= 0 {
			if left == 0 {
				s.add("", 0, s.g.More, screen.Whole(s.g.More), screen.Always(theme.Faint))
			}
			return
		}
		head, rest := s.g.TakeCells(text, room)
		if head == "" && text != "" { // an escape wider than the pane
			_, _, n := s.g.NextCell(text)
			head, rest = text[:n], text[n:]
		}
		// Break after a blank if there is one nearby, or else between the parts of a name.
		i := strings.LastIndexByte(head, ' ')
		if i <= len(head)/2 {
			i = strings.LastIndexAny(head, " .(/,")
		}
		if rest != "" && i > len(head)/3 {
			head, rest = text[:i+1], text[i+1:]
		}
		s.add(label, at, head, spans, of)
		for i := range spans {
			spans[i].Start = max(0, spans[i].Start-len(head))
			spans[i].End = max(0, spans[i].End-len(head))
		}
		text, label = rest, ""
	}
}

// filled returns height lines: see [screen.Fill].
func (s sheet) filled(height int) []string { return screen.Fill(s.lines, s.width, height, s.g) }

func (s *sheet) title(text string) {
	s.lines = append(s.lines, screen.NewLine(s.width, s.g).Put(text, theme.Bold).End())
}

// section begins a section with its title, or, if that is "", with an empty line. One without lines is left out.
func (s *sheet) section(title string) {
	if s.dense {
		return
	}
	if len(s.lines) > 0 && len(s.lines) == s.begun {
		s.lines = s.lines[:s.begun-1]
	}
	line := screen.NewLine(s.width, s.g).End()
	if title != "" {
		line = screen.Titled(" "+title+" ", "", s.width, s.g)
	}
	s.lines = append(s.lines, line)
	s.begun = len(s.lines)
}
