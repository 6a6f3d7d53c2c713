package screen

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/theme"
)

// Rect is a part of the screen, in cells.
type Rect struct{ X, Y, Width, Height int }

func (r Rect) Has(x, y int) bool { return x >= r.X && x < r.X+r.Width && y >= r.Y && y < r.Y+r.Height }

// Backdrop draws what is behind something that floats. It keeps the pieces it has drawn: a key changes few of them.
type Backdrop struct {
	Of    int         // which frame is behind the list that floats
	Lines []string    // of it
	pens  *theme.Pens // that it has drawn with
	kept  map[piece]string
}

// piece is the cells of a line from one before another.
type piece struct {
	line          string
	from, to      int
	faint, border bool // without its styles; of a border
}

func (b *Backdrop) draw(p piece, g *Glyphs) string {
	const many = 1000
	if b.kept == nil || b.pens != g.Pens || len(b.kept) > many {
		b.pens, b.kept = g.Pens, make(map[piece]string)
	}
	s, ok := b.kept[p]
	switch {
	case ok:
		return s
	case p.border:
		s = g.Pens.Border().Render(p.line)
	case p.faint:
		s = NewLine(p.to, g).Put(ansi.Strip(p.line), theme.Faint).End()
	default:
		// A wide character may be half behind the box.
		if s = ansi.Cut(p.line, p.from, p.to); ansi.StringWidth(s) > p.to-p.from {
			s = ansi.Cut(p.line, p.from+1, p.to)
		}
		blanks := strings.Repeat(" ", max(0, p.to-p.from-ansi.StringWidth(s)))
		if p.from > 0 {
			s = blanks + s
		} else {
			s += blanks
		}
	}
	b.kept[p] = s
	return s
}

// Dim returns lines of width cells without their styles, all faint.
func (b *Backdrop) Dim(lines []string, width int, g *Glyphs) []string {
	dimmed := make([]string, len(lines))
	for i, line := range lines {
		dimmed[i] = b.draw(piece{line: line, to: width, faint: true}, g)
	}
	return dimmed
}

// Float draws a box over lines, which are width cells wide. Its content, in lines that fill it, is drawn at in: the
// first of them, a title, within the upper border. The right border tells which part of its lines is shown.
func (b *Backdrop) Float(lines, content []string, in Rect, shown Scroll, width int, g *Glyphs) {
	content = content[:min(len(content), in.Height)]
	border := lipgloss.RoundedBorder()
	if g.ASCII {
		border = lipgloss.ASCIIBorder()
	}
	drawn := func(line string) string { return b.draw(piece{line: line, border: true}, g) }
	left, right, thumb, last := drawn(border.Left), drawn(border.Right), drawn(g.Thumb), len(content)
	mark, to := shown.thumb(last - 1)
	for i := range last + 1 {
		box := ""
		switch i {
		case 0:
			box = drawn(border.TopLeft + ansi.Strip(content[0]) + border.TopRight)
		case last:
			box = drawn(border.BottomLeft + strings.Repeat(border.Bottom, in.Width) + border.BottomRight)
		default:
			if box = left + content[i] + right; i-1 >= mark && i-1 < to {
				box = left + content[i] + thumb
			}
		}
		line := &lines[in.Y+i]
		*line = b.draw(piece{line: *line, to: in.X - 1}, g) + box + b.draw(piece{line: *line, from: in.X + in.Width + 1, to: width}, g)
	}
}
