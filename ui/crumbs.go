package ui

import (
	"strings"

	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
)

// crumbs is the path to the cursor, in one line. Its middle goes when it is too
// long, never its ends.
func (m *Model) crumbs() string {
	l := screen.NewLine(m.width, m.g)
	for i, name := range m.facts.crumbs {
		if i == 0 {
			l.Space(1)
		} else {
			l.Put(m.crumbSep(), screen.Faint)
		}
		l.Put(name, screen.Accent)
	}
	return l.End()
}

func (m *Model) crumbSep() string { return " " + m.g.Crumb + " " }

// fitPath returns the names of a path that fit in width cells: the first, the
// last, as many before the last as there is room for, and "…" for the others.
func (m *Model) fitPath(path []*lazy.Node, width int, sep string) []string {
	g, sepWidth := m.g, screen.TextWidth(sep, m.g.ASCII)
	first := m.shortName(path[0])
	if len(path) == 1 {
		return []string{screen.CutMiddle(first, width, g)}
	}
	last := m.shortName(path[len(path)-1])
	more := len([]rune(g.More)) + sepWidth
	if screen.TextWidth(first+last, g.ASCII)+sepWidth+more > width {
		first = screen.CutMiddle(first, max(8, width/4), g)
	}
	left := width - screen.TextWidth(first, g.ASCII) - sepWidth
	last = screen.CutMiddle(last, max(4, left-more), g)
	left -= screen.TextWidth(last, g.ASCII)
	tail := []string{last}
	for i := len(path) - 2; i > 0; i-- {
		name := m.shortName(path[i])
		w := screen.TextWidth(name, g.ASCII) + sepWidth
		need := w
		if i > 1 {
			need += more // for the "…" of those before
		}
		if need > left {
			// With room for a part of a name, a part of it.
			if short := left - more - sepWidth; short >= 12 && i == len(path)-2 {
				tail = append(tail, screen.CutMiddle(name, short, g))
				i--
			}
			if i > 0 {
				tail = append(tail, g.More)
			}
			break
		}
		left -= w
		tail = append(tail, name)
	}
	names := make([]string, 0, len(tail)+1)
	names = append(names, first)
	for i := len(tail) - 1; i >= 0; i-- {
		names = append(names, tail[i])
	}
	return names
}

// shortName is what a node is called in a path: a call without its arguments.
func (m *Model) shortName(n *lazy.Node) string {
	if p := n.Point(); p == nil || p.Class.Container() {
		return string(m.out.Tree.AppendName(nil, n))
	}
	text, _ := m.text(n)
	return text
}

// pathText is the path to the cursor, a line for each node, for the clipboard.
func (m *Model) pathText() string {
	var b strings.Builder
	for i, n := range nodetext.Path(m.out.Cursor) {
		b.WriteString(strings.Repeat("  ", i))
		b.Write(m.out.Tree.AppendText(nil, n, false))
		b.WriteByte('\n')
	}
	return b.String()
}
