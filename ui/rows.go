package ui

import (
	"cmp"
	"context"
	"errors"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/status"
)

// treeLines draws the rows of the tree: always l.tree lines of l.treeWidth
// cells.
func (m *Model) treeLines(l layout) []string {
	lines := make([]string, 0, l.tree)
	in := m.indent()
	for _, r := range m.out.rows[:min(len(m.out.rows), l.tree)] {
		lines = append(lines, m.row(r, in, l.treeWidth))
	}
	if len(lines) == 0 {
		lines = append(lines, screen.NewLine(l.treeWidth, m.g).Put("  "+m.nothing(), screen.Plain).End())
	}
	empty := screen.NewLine(l.treeWidth, m.g).End()
	for len(lines) < l.tree {
		lines = append(lines, empty)
	}
	return lines
}

// nothing says why there are no rows, and what to do.
func (m *Model) nothing() string {
	switch st := m.known; {
	case st.Phase == lazy.PhaseFollowing:
		return status.NothingYet(st, cmp.Or(m.o.Name, m.file()))
	case st.Phase == lazy.PhaseFailed:
		return "nothing can be shown: see the line above; q quits"
	case !m.settled():
		return m.spinner() + " " + status.Phase(st, m.clock.now())
	}
	return "there are no calls in this trace: nothing was recorded; q quits"
}

// row draws a row.
func (m *Model) row(r lazy.Row, in indent, width int) string {
	l := screen.NewLine(width, m.g)
	if r == m.out.cursor {
		l.Heavy = true
		l.Put(m.g.Cursor, screen.Accent)
	} else {
		l.Put(" ", screen.Plain)
	}
	mark, s := " ", screen.Plain
	var point *format.Point
	if r.Node != nil {
		if point = r.Node.Point(); point != nil {
			mark, s = screen.DiffMark(point.Diff)
		}
	}
	l.Put(mark, s)
	l.Space(in.of(r.Depth) - textFrom)
	if r.Node == nil {
		m.gapText(l, r)
		return l.End()
	}
	t := m.tailOf(r.Node, width)
	l.Left -= t.width
	m.nodeText(l, r.Node, point)
	if t.width > 0 {
		l.Space(l.Left)
		l.Left = t.width
		t.draw(l)
	}
	return l.End()
}

// hidden returns how many cells of a row's text have no room in its line.
func (m *Model) hidden(r lazy.Row) int {
	width := m.layout().treeWidth
	in := m.indent()
	text, _ := m.text(r.Node)
	before := 2 + in.of(r.Depth) - textFrom + 2
	return max(0, screen.TextWidth(text, m.g.ASCII)-(width-before-m.tailOf(r.Node, width).width))
}

// nodeText draws the mark of a node and its text.
func (m *Model) nodeText(l *screen.Line, n *lazy.Node, p *format.Point) {
	if mark := m.mark(n); mark == " " {
		l.Space(2)
	} else {
		l.Put(mark, screen.Accent).Space(1)
	}
	text, spans := m.text(n)
	var class format.Class
	of := func(format.Style) screen.Style { return screen.Bold }
	if p != nil {
		class = p.Class
		of = func(s format.Style) screen.Style { return screen.SpanStyle(s, class) }
	} else {
		spans = []format.Span{{Start: 0, End: len(text)}}
	}
	l.Spans(text, spans, of, m.lit(n, text), m.out.skipOf(n))
	switch {
	case p == nil && m.emptyThread(n):
		l.Put("  no calls in this thread", screen.Faint)
	case n.State() == lazy.StateUnfinished && p != nil && p.Class != format.ClassCall:
		l.Put("  unfinished", screen.Unfinished)
	case n.State() == lazy.StatePending && p != nil:
		l.Put("  "+m.pendingMark(), screen.Faint)
	}
}

func (m *Model) emptyThread(n *lazy.Node) bool {
	count, exact, known := n.Count()
	return known && exact && count == 0
}

// text returns the text of a node without the mark of a diff, which has its own
// column.
func (m *Model) text(n *lazy.Node) (string, []format.Span) {
	b, spans := m.out.t.AppendSpans(nil, nil, n, m.out.wide && m.placed(n))
	if len(spans) > 0 && spans[0].Style == format.StyleMark {
		cut := spans[0].End
		b, spans = b[cut:], spans[1:]
		for i := range spans {
			spans[i].Start -= cut
			spans[i].End -= cut
		}
	}
	return string(b), spans
}

// placed reports whether the trace says where in the source a trace point is.
func (m *Model) placed(n *lazy.Node) (ok bool) {
	if p := n.Point(); p != nil {
		m.r.WithContext(func(c *format.Context) { _, _, ok = c.FileLine(p.Location) })
	}
	return ok
}

// mark says whether a node is expanded, collapsed, not loaded, a leaf, or loading.
func (m *Model) mark(n *lazy.Node) string {
	switch {
	case n.Leaf():
		return " "
	case m.loads.of(n) && !n.Loaded():
		return m.spinner()
	case m.out.t.IsExpanded(n) && n.Order() == lazy.OrderDuration:
		return m.g.Sorted
	case m.out.t.IsExpanded(n):
		return m.g.Open
	case n.Loaded():
		return m.g.Closed
	}
	return m.g.Absent
}

// gapText draws the row of children that are not in memory.
func (m *Model) gapText(l *screen.Line, r lazy.Row) {
	err := m.loads.failed[keyOf(r)]
	enter := screen.KeyName("enter", m.g)
	switch {
	case errors.Is(err, context.Canceled):
		l.Put(m.g.Gap+" not loaded, "+nodetext.Missing(r)+": stopped; "+enter+" loads it", screen.Faint)
	case err != nil:
		l.Put(m.g.Warn+" cannot be read: "+screen.ErrorLine(err)+" ("+enter+" tries again)", screen.Alarm)
	default:
		l.Put(m.spinner()+" loading "+nodetext.Missing(r), screen.Faint)
	}
}
