package nodetext

import (
	"strings"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// CrumbLine draws a path: a line of width cells.
func CrumbLine(crumbs []string, width int, g *screen.Glyphs) string {
	l := screen.NewLine(width, g)
	for i, name := range crumbs {
		if i == 0 {
			l.Space(1)
		} else {
			l.Put(crumbSep(g), screen.Faint)
		}
		l.Put(name, screen.Accent)
	}
	return l.End()
}

// CrumbAt returns the index of the crumb at a cell of the line that CrumbLine draws; -1 if there is none, or one
// that stands for others.
func CrumbAt(crumbs []string, x int, g *screen.Glyphs) int {
	at := 1
	for i, name := range crumbs {
		w := screen.TextWidth(name, g.ASCII)
		if x >= at && x < at+w && name != g.More {
			return i
		}
		at += w + screen.TextWidth(crumbSep(g), g.ASCII)
	}
	return -1
}

func crumbSep(g *screen.Glyphs) string { return " " + g.Crumb + " " }

// Crumbs returns the names of a path that fit into a line of width cells: the first, the last,
// as many before the last as fit, and "…" for the others. CrumbLine draws them.
func Crumbs(path []*lazy.Node, name func(*lazy.Node) string, width int, g *screen.Glyphs) []string {
	return Names(len(path), func(i int) string { return name(path[i]) }, width-2, g)
}

// PathIn returns as much of a path of names as fits into width cells, see [Crumbs].
func PathIn(path []string, width int, g *screen.Glyphs) string {
	return strings.Join(Names(len(path), func(i int) string { return path[i] }, width, g), crumbSep(g))
}

// Names is Crumbs for n names. It asks only for those that may fit.
func Names(n int, name func(i int) string, width int, g *screen.Glyphs) []string {
	if n == 0 {
		return nil
	}
	sepWidth := screen.TextWidth(crumbSep(g), g.ASCII)
	first := name(0)
	if n == 1 {
		return []string{screen.CutMiddle(first, width, g)}
	}
	last := name(n - 1)
	more := len([]rune(g.More)) + sepWidth
	if screen.TextWidth(first+last, g.ASCII)+sepWidth+more > width {
		first = screen.CutMiddle(first, max(8, width/4), g)
	}
	left := width - screen.TextWidth(first, g.ASCII) - sepWidth
	last = screen.CutMiddle(last, max(4, left-more), g)
	left -= screen.TextWidth(last, g.ASCII)
	tail := []string{last}
	for i := n - 2; i > 0; i-- {
		crumb := name(i)
		w := screen.TextWidth(crumb, g.ASCII) + sepWidth
		need := w
		if i > 1 {
			need += more // for the "…" in place of those before
		}
		if need > left {
			// If part of a name fits, show that part.
			if short := left - more - sepWidth; short >= 12 && i == n-2 {
				tail = append(tail, screen.CutMiddle(crumb, short, g))
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
	names := make([]string, 0, len(tail)+1)
	names = append(names, first)
	for i := len(tail) - 1; i >= 0; i-- {
		names = append(names, tail[i])
	}
	return names
}
