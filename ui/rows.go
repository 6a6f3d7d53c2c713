package ui

import (
	"cmp"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/rows"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/status"
)

// rowsOf returns the contents of the given rows of the tree.
func (m *Model) rowsOf(of []lazy.Row) []rows.Row {
	lines := m.out.Tree.Lines(of, m.out.Wide)
	list := make([]rows.Row, len(lines))
	for i, l := range lines {
		r := &list[i]
		*r = rows.New(l)
		if l.Node == nil {
			r.Err = m.loads.failed[keyOf(l.Row)]
			continue
		}
		r.Lit, r.Skip = m.lit(l.Node, r.Shown), m.out.SkipOf(l.Node)
		r.Loading = !l.Loaded && m.loads.of(l.Node)
	}
	return list
}

// rowView returns how rows are drawn now.
func (m *Model) rowView() *rows.View {
	return &rows.View{
		Glyphs: m.g, Spinner: m.spinner(), Pending: m.pendingMark(), Cursor: m.out.Cursor, Timed: m.facts.timed, ByDuration: m.facts.byDuration,
	}
}

// timed reports whether the trace has times.
func (m *Model) timed() bool { return m.facts.timed }

// indent returns how far rows are indented now.
func (m *Model) indent() rows.Indent {
	deepest := 0
	for _, r := range m.out.Rows {
		deepest = max(deepest, r.Depth)
	}
	return rows.IndentFor(deepest, m.layout().treeWidth)
}

// hidden returns how many cells of a node's text do not fit on its line.
func (m *Model) hidden(of lazy.Row) int {
	return m.rowView().Hidden(&m.rowsOf([]lazy.Row{of})[0], m.indent(), m.layout().treeWidth)
}

// treeLines draws the rows of the tree: always l.tree lines of l.treeWidth
// cells.
func (m *Model) treeLines(l layout) []string {
	lines := make([]string, 0, l.tree)
	in, v := m.indent(), m.rowView()
	for i := range m.facts.rows[:min(len(m.facts.rows), l.tree)] {
		lines = append(lines, v.Draw(&m.facts.rows[i], in, l.treeWidth))
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

// nothing explains why there are no rows, and what to do.
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

// text returns the text of a node without the mark of a diff.
func (m *Model) text(n *lazy.Node) (string, []format.Span) {
	r := m.rowsOf([]lazy.Row{outline.RowOf(n)})[0]
	return r.Shown, r.Styles
}
