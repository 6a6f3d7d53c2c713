package screen

import (
	"slices"
	"strconv"
	"strings"

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

// PlaceChips returns as many chips as fit into a line of width cells, as they are drawn. The last stands for those that
// do not.
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

// CrumbLine draws a path: a line of width cells.
func CrumbLine(crumbs []string, width int, g *Glyphs) string {
	l := NewLine(width, g)
	for i, name := range crumbs {
		if i == 0 {
			l.Space(1)
		} else {
			l.Put(crumbSep(g), theme.Faint)
		}
		l.Put(name, theme.Accent)
	}
	return l.End()
}

// CrumbAt returns the index of the crumb at a cell of the line that CrumbLine draws; -1 if there is none.
func CrumbAt(crumbs []string, x int, g *Glyphs) int {
	at := 1
	for i, name := range crumbs {
		w := g.TextWidth(name)
		if x >= at && x < at+w {
			return i
		}
		at += w + g.TextWidth(crumbSep(g))
	}
	return -1
}

func crumbSep(g *Glyphs) string { return " " + g.Crumb + " " }

// PathIn returns as much of a path of names as fits into width cells, see [Crumbs].
func PathIn(path []string, width int, g *Glyphs) string {
	return strings.Join(Crumbs(len(path), func(i int) string { return path[i] }, width, g), crumbSep(g))
}

// Crumbs returns as many of the n names of a path as fit into width cells: the first, the last, as many before the last
// as fit, and "…" for the others. It asks only for those that may fit. CrumbLine draws them.
func Crumbs(n int, name func(i int) string, width int, g *Glyphs) []string {
	if n == 0 {
		return nil
	}
	sepWidth := g.TextWidth(crumbSep(g))
	first := name(0)
	if n == 1 {
		return []string{g.CutMiddle(first, width)}
	}
	last := name(n - 1)
	more := len([]rune(g.More)) + sepWidth
	if g.TextWidth(first+last)+sepWidth+more > width {
		first = g.CutMiddle(first, max(8, width/4))
	}
	left := width - g.TextWidth(first) - sepWidth
	last = g.CutMiddle(last, max(4, left-more))
	left -= g.TextWidth(last)
	tail := []string{last}
	for i := n - 2; i > 0; i-- {
		crumb := name(i)
		w := g.TextWidth(crumb) + sepWidth
		need := w
		if i > 1 {
			need += more // for the "…" in place of those before
		}
		if need > left {
			// If part of a name fits, show that part.
			if short := left - more - sepWidth; short >= 12 && i == n-2 {
				tail = append(tail, g.CutMiddle(crumb, short))
				i--
			}
			if i > 0 && tail[len(tail)-1] != g.More {
				tail = append(tail, g.More)
			}
			break
		}
		left -= w
		tail = append(tail, crumb)
	}
	names := append(tail, first)
	slices.Reverse(names)
	return names
}
