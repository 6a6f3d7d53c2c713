package screen

import (
	"slices"
	"strings"

	"tracex/ui/internal/theme"
)

// CrumbLine draws a path, the thread first: a line of width cells.
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
