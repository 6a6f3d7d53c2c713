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
// first of them, a title, within the upper border, and the other borders around it.
func Float(lines, content []string, in Rect, width int, g *Glyphs) {
	content = content[:min(len(content), in.Height)]
	border := lipgloss.RoundedBorder()
	if g.ASCII {
		border = lipgloss.ASCIIBorder()
	}
	style := g.Pens.Border()
	top := style.Render(border.TopLeft + ansi.Strip(content[0]) + border.TopRight)
	box := lipgloss.NewStyle().Border(border, false, true, true).BorderForeground(style.GetForeground()).BorderBackground(style.GetBackground()).Render(strings.Join(content[1:], "\n"))
	behind := lines[in.Y : in.Y+in.Height+1]
	drawn := lipgloss.NewCompositor(lipgloss.NewLayer(strings.Join(behind, "\n")), lipgloss.NewLayer(top+"\n"+box).X(in.X-1).Z(1)).Render()
	for i, line := range strings.Split(drawn, "\n") {
		behind[i] = line + strings.Repeat(" ", max(0, width-ansi.StringWidth(line)))
	}
}
