package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/layout"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

// clicked moves the cursor to the row under the mouse. A second click there, or a click on the
// row's mark, expands or collapses it. Elsewhere it is for the list that is open, the path or the strip.
func (m *Model) clicked(e tea.MouseClickMsg) tea.Cmd {
	o, l, clicks := m.tree.Out, m.frame.layout, &m.keyboard.clicks
	if e.Button != tea.MouseLeft || m.front.Prompt() != nil || !layout.Usable(m.env.Width, m.env.Height) {
		return nil
	}
	m.keyboard.used, m.keyboard.touched = true, true
	m.env.Status.Clear()
	double := clicks.Double(e.Y, m.env.Clock.Now())
	if double {
		clicks.Clear()
	}
	if m.front.List() != nil {
		if y := e.Y - l.ListTop; y >= 0 && y < l.List {
			return m.front.Click(e.X, y, double)
		}
		return nil
	}
	o.Goal = nil
	switch i := e.Y - l.Top; {
	case e.Y == l.Path:
		clickPath(m.tree, m.frame.crumbs, e.X, l, m.env.Glyphs)
	case l.Strip && e.Y == l.StripAt:
		return m.flames.click(e.X)
	case i >= 0 && i < min(len(o.Rows), l.Tree) && e.X < l.TreeWidth && l.Details != layout.Only:
		if i < len(o.Stuck) {
			clicks.Clear()
		}
		return clickRow(m.tree, i, e.X, double)
	}
	return nil
}

// clickRow moves the cursor to a row of the tree, or expands or collapses it.
func clickRow(t *tree.Part, i, x int, double bool) tea.Cmd {
	o := t.Out
	if i < len(o.Stuck) {
		t.Visit()
		o.Climb(o.Stuck[i])
		return nil
	}
	row := o.Rows[i]
	o.Put(row, i)
	if mark := o.Indent().Of(row.Depth); double || x >= mark && x <= mark+1 {
		return t.Toggle(0)
	}
	return nil
}

// clickPath goes to a call of the path to the cursor.
func clickPath(t *tree.Part, crumbs []string, x int, l layout.Layout, g *screen.Glyphs) {
	r, ok := t.Out.CrumbAt(crumbs, x, l.Details != layout.Only, g)
	if ok && r != t.Out.Cursor {
		t.Visit()
		t.Out.Climb(r)
	}
}

// click goes to the place in the thread that a column of the strip is about.
func (f *flaming) click(x int) tea.Cmd {
	at, ok := f.PlaceAt(x)
	if !ok {
		return nil
	}
	return f.Show(at, -1)
}
