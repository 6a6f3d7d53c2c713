package ui

import (
	"cmp"
	"context"
	"errors"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/status"
)

// row is a line of the tree as it is drawn: a value, made in Update.
type row struct {
	lazy.Line
	text    string // without the mark of a diff, which has its own column
	spans   []format.Span
	lit     [][2]int // what a search has found in the text
	skip    int      // cells of the text that are scrolled out on the left
	loading bool     // children are being loaded
	err     error    // of a gap: why it could not be loaded
}

// rowsOf returns what rows of the tree show.
func (m *Model) rowsOf(of []lazy.Row) []row {
	lines := m.out.Tree.Lines(of, m.out.Wide)
	rows := make([]row, len(lines))
	for i, l := range lines {
		r := &rows[i]
		r.Line, r.text = l, l.Text[l.Mark:]
		if l.Node == nil {
			r.err = m.loads.failed[keyOf(l.Row)]
			continue
		}
		r.spans = []format.Span{{Start: 0, End: len(r.text)}}
		if l.IsPoint() {
			r.spans = spansAfter(l.Spans, l.Mark)
		}
		r.lit, r.skip = m.lit(l.Node, r.text), m.out.SkipOf(l.Node)
		r.loading = !l.Loaded && m.loads.of(l.Node)
	}
	return rows
}

// spansAfter returns the styles of a text without the mark at its start.
func spansAfter(spans []format.Span, mark int) []format.Span {
	if mark == 0 {
		return spans
	}
	spans = spans[1:]
	for i := range spans {
		spans[i].Start -= mark
		spans[i].End -= mark
	}
	return spans
}

// treeLines draws the rows of the tree: always l.tree lines of l.treeWidth
// cells.
func (m *Model) treeLines(l layout) []string {
	lines := make([]string, 0, l.tree)
	in := m.indent()
	for i := range m.facts.rows[:min(len(m.facts.rows), l.tree)] {
		lines = append(lines, m.row(&m.facts.rows[i], in, l.treeWidth))
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
func (m *Model) row(r *row, in indent, width int) string {
	l := screen.NewLine(width, m.g)
	if r.Row == m.out.Cursor {
		l.Heavy = true
		l.Put(m.g.Cursor, screen.Accent)
	} else {
		l.Put(" ", screen.Plain)
	}
	mark, s := " ", screen.Plain
	if r.IsPoint() {
		mark, s = screen.DiffMark(r.Diff)
	}
	l.Put(mark, s)
	l.Space(in.of(r.Depth) - textFrom)
	if r.Node == nil {
		m.gapText(l, r)
		return l.End()
	}
	t := m.tailOf(&r.Line, width)
	l.Left -= t.width
	m.nodeText(l, r)
	if t.width > 0 {
		l.Space(l.Left)
		l.Left = t.width
		t.draw(l)
	}
	return l.End()
}

// hidden returns how many cells of a node's text have no room in its line.
func (m *Model) hidden(of lazy.Row) int {
	width := m.layout().treeWidth
	in := m.indent()
	r := &m.rowsOf([]lazy.Row{of})[0]
	before := 2 + in.of(r.Depth) - textFrom + 2
	return max(0, screen.TextWidth(r.text, m.g.ASCII)-(width-before-m.tailOf(&r.Line, width).width))
}

// nodeText draws the mark of a node and its text.
func (m *Model) nodeText(l *screen.Line, r *row) {
	if mark := m.mark(r); mark == " " {
		l.Space(2)
	} else {
		l.Put(mark, screen.Accent).Space(1)
	}
	of := screen.Always(screen.Bold)
	if r.IsPoint() {
		of = func(s format.Style) screen.Style { return screen.SpanStyle(s, r.Class) }
	}
	l.Spans(r.text, r.spans, of, r.lit, r.skip)
	switch {
	case r.IsThread() && r.CountKnown && r.CountExact && r.Count == 0:
		l.Put("  no calls in this thread", screen.Faint)
	case r.State == lazy.StateUnfinished && r.IsPoint() && r.Class != format.ClassCall:
		l.Put("  unfinished", screen.Unfinished)
	case r.State == lazy.StatePending && r.IsPoint():
		l.Put("  "+m.pendingMark(), screen.Faint)
	}
}

// text returns the text of a node without the mark of a diff.
func (m *Model) text(n *lazy.Node) (string, []format.Span) {
	r := m.rowsOf([]lazy.Row{outline.RowOf(n)})[0]
	return r.text, r.spans
}

// mark says whether a node is expanded, collapsed, not loaded, a leaf, or loading.
func (m *Model) mark(r *row) string {
	switch {
	case r.Leaf:
		return " "
	case r.loading:
		return m.spinner()
	case r.Expanded && r.Order == lazy.OrderDuration:
		return m.g.Sorted
	case r.Expanded:
		return m.g.Open
	case r.Loaded:
		return m.g.Closed
	}
	return m.g.Absent
}

// gapText draws the row of children that are not in memory.
func (m *Model) gapText(l *screen.Line, r *row) {
	err := r.err
	enter := screen.KeyName("enter", m.g)
	switch {
	case errors.Is(err, context.Canceled):
		l.Put(m.g.Gap+" not loaded, "+nodetext.Missing(r.Row)+": stopped; "+enter+" loads it", screen.Faint)
	case err != nil:
		l.Put(m.g.Warn+" cannot be read: "+screen.ErrorLine(err)+" ("+enter+" tries again)", screen.Alarm)
	default:
		l.Put(m.spinner()+" loading "+nodetext.Missing(r.Row), screen.Faint)
	}
}
