package screen

import (
	"strconv"

	"tracex/ui/internal/theme"
)

// Chip is something in force that changes what the screen shows. A click ends it, or opens it.
type Chip struct {
	Text string // cut in its middle if there is no room
	Tail string // never cut: what is known of it, or why it does not apply; may be ""
	Off  bool   // it does not apply to what is shown
	Of   int    // for the owner: what it is

	more     bool // it stands for others
	x, width int  // in its line
}

// leastChip is how many cells a text that is cut keeps, at least.
const leastChip = 12

// drawn returns a chip as it is drawn, its text in at most long cells.
func (c Chip) drawn(long int, g *Glyphs) string {
	left, right := " ", " "
	if c.Off || g.Pens.Flat() {
		left, right = "[", "]"
	}
	if c.Tail != "" {
		c.Tail = " " + c.Tail
	}
	return left + g.CutMiddle(c.Text, long) + c.Tail + " " + g.Cross + right
}

// PlaceChips returns the chips that fit into a line of width cells, as they are drawn. The last stands for the others.
func PlaceChips(chips []Chip, width int, g *Glyphs) (placed []Chip) {
	long := width
	for cells := width; cells >= width && long > leastChip; long-- {
		cells = 1
		for _, c := range chips {
			cells += g.TextWidth(c.drawn(long, g)) + 1
		}
	}
	x := 1
	for i, c := range chips {
		c.Text, c.x = c.drawn(long, g), x
		c.width = g.TextWidth(c.Text)
		room := width - x - 1
		if i < len(chips)-1 {
			room -= len(" +10")
		}
		if c.width > room && i > 0 {
			c.Text, c.more = "+"+strconv.Itoa(len(chips)-i), true
			c.width = len(c.Text)
			return append(placed, c)
		}
		placed = append(placed, c)
		x += c.width + 1
	}
	return placed
}

// ChipLine draws chips that are placed, and at the right end, if there is room, the keys that end them.
func ChipLine(placed []Chip, keys string, width int, g *Glyphs) string {
	l := NewLine(width, g)
	for _, c := range placed {
		role := theme.Chip
		if c.Off || c.more {
			role = theme.Faint
		}
		l.Space(1)
		l.Put(c.Text, role)
	}
	if room := l.Left - g.TextWidth(keys) - 1; room > 1 {
		l.Space(room)
		l.Put(keys, theme.Faint)
	}
	return l.End()
}

// ChipAt returns the chip at a cell of the line; ok is false if there is none. cross is that the cell is at its cross.
func ChipAt(placed []Chip, x int) (c Chip, cross, ok bool) {
	for _, c := range placed {
		if x >= c.x && x < c.x+c.width {
			return c, !c.more && x >= c.x+c.width-3, true
		}
	}
	return c, false, false
}
