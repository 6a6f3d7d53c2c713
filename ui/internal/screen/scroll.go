package screen

import (
	"math"

	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/theme"
)

// Scroll is which part of a whole is on the screen. The zero value is all of it.
type Scroll struct{ From, To, All float64 }

// ScrollOf returns which of all lines are shown: height of them, from one on.
func ScrollOf(from, height, all int) Scroll {
	return Scroll{float64(from), float64(min(from+height, all)), float64(all)}
}

// barFrom is how wide a table is at least that gives its last column to the bar.
const barFrom = 80

// Inside returns how many of width cells a table has beside the bar.
func Inside(width int) int {
	if width < barFrom {
		return width
	}
	return width - 1
}

// thumb returns the cells of a bar of height cells that are marked: those at its ends only if the whole ends there.
func (s Scroll) thumb(height int) (from, to int) {
	hidden := s.All - (s.To - s.From)
	if hidden <= 0 || height < 3 {
		return 0, 0
	}
	size := within(int(float64(height)*(1-hidden/s.All)), 1, height-1)
	from = int(math.Round(float64(height-size) * s.From / hidden))
	if s.From > 0 {
		from = max(from, 1)
	}
	if to = from + size; s.To < s.All {
		to = min(to, height-1)
	}
	return min(from, to-1), to
}

// At returns the cell of the bar beside line i of height: if it is not marked, another sign.
func (s Scroll) At(i, height int, other string, g *Glyphs) string {
	if from, to := s.thumb(height); i >= from && i < to {
		other = g.Thumb
	}
	return NewLine(1, g).Put(other, theme.Faint).End()
}

// Over draws the bar over the last cells of lines, which are blank.
func (s Scroll) Over(lines []string, width int, g *Glyphs) {
	from, to := s.thumb(len(lines))
	for i := from; i < to; i++ {
		lines[i] = ansi.Truncate(lines[i], width-1, "") + s.At(i, len(lines), "", g)
	}
}
