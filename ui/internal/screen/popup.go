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

// Dim returns lines without their styles, all faint: what is behind something that floats.
func Dim(lines []string, width int, g *Glyphs) []string {
	dimmed := make([]string, len(lines))
	for i, line := range lines {
		dimmed[i] = NewLine(width, g).Put(ansi.Strip(line), theme.Faint).End()
	}
	return dimmed
}

// Float draws a box over lines, which are width cells wide. Its content, in lines that fill it, is drawn at in: the
// first of them, a title, within the upper border, and the other borders around it. The right one tells which part
// of its lines is shown.
func Float(lines, content []string, in Rect, shown Scroll, width int, g *Glyphs) {
	content = content[:min(len(content), in.Height)]
	border := lipgloss.RoundedBorder()
	if g.ASCII {
		border = lipgloss.ASCIIBorder()
	}
	style := g.Pens.Border()
	left, right, last := style.Render(border.Left), style.Render(border.Right), len(content)
	mark, to := shown.thumb(last - 1)
	for i := range last + 1 {
		box := ""
		switch i {
		case 0:
			box = style.Render(border.TopLeft + ansi.Strip(content[0]) + border.TopRight)
		case last:
			box = style.Render(border.BottomLeft + strings.Repeat(border.Bottom, in.Width) + border.BottomRight)
		default:
			if box = left + content[i] + right; i-1 >= mark && i-1 < to {
				box = left + content[i] + style.Render(g.Thumb)
			}
		}
		line := lines[in.Y+i]
		before, after := ansi.Truncate(line, in.X-1, ""), ansi.TruncateLeft(line, in.X+in.Width+1, "")
		// A wide character may be half behind the box.
		before += strings.Repeat(" ", max(0, in.X-1-ansi.StringWidth(before)))
		lines[in.Y+i] = before + box + strings.Repeat(" ", max(0, width-in.X-in.Width-1-ansi.StringWidth(after))) + after
	}
}
