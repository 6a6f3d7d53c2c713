package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

// clicked moves the cursor to the row under the mouse. A second click there, or a click on the
// row's mark, expands or collapses it. Elsewhere it is for the list that is open, the path or the strip.
func (m *Model) clicked(e tea.MouseClickMsg) tea.Cmd {
	o, l, clicks := m.tree.Out, m.frame.layout, &m.env.Keyboard.Clicks
	if e.Button != tea.MouseLeft || m.env.Front.Prompt() != nil || !screen.Usable(m.env.Width, m.env.Height) {
		return nil
	}
	m.env.Keyboard.Used, m.env.Keyboard.Touched = true, true
	m.env.Status.Clear()
	if p, in := m.env.Keyboard.Prefix, m.frame.chosenIn; p != nil {
		return m.env.Follow(p.KeyAt(e.X, e.Y, in))
	}
	if l.Chips && e.Y == l.Path-1 && !l.Floats {
		return m.chips.click(m.frame.chips, e.X)
	}
	double := clicks.Double(e.Y, m.env.Clock.Now())
	if double {
		*clicks = keys.Clicks{}
	}
	if m.env.Front.List() != nil {
		switch {
		case l.List.Has(e.X, e.Y):
			return m.env.Front.Click(e.X-l.List.X, e.Y-l.List.Y, double)
		case l.Floats:
			m.env.Front.CloseLists()
		}
		return nil
	}
	if l.Hints && e.Y == m.env.Height-1 {
		if c := keys.HintAt(m.frame.hints, e.X-1, m.env.Glyphs); c != "" {
			return m.perform(c, 0)
		}
		return nil
	}
	o.Goal = nil
	if d := l.DividerAt(e.X, e.Y); d != screen.NoDivider {
		m.panes.drag = d
		return nil
	}
	if p, ok := l.PaneAt(e.X, e.Y); ok {
		m.panes.give(p)
		if m.panes.all[p].Put(e.Y - l.Panes[p].Y); double {
			return m.panes.all[p].Enter()
		}
		return nil
	}
	m.panes.give(screen.TreePane)
	switch i := e.Y - l.Top; {
	case l.Rule && i == -1 && l.Side != screen.Only && e.X < l.TreeWidth:
		return m.tree.Jobs.ClickHead(e.X, l.TreeWidth)
	case e.Y == l.Path:
		if r, ok := o.CrumbAt(m.frame.crumbs, e.X, m.env.Glyphs); ok && r != o.Cursor {
			m.tree.Visit()
			o.Climb(r)
		}
	case l.Strip && e.Y == l.StripAt:
		return m.flames.Click(e.X)
	case i >= 0 && i < min(len(o.Rows), l.Tree) && e.X < l.TreeWidth && l.Side != screen.Only:
		if i < len(o.Stuck) {
			*clicks = keys.Clicks{}
		}
		return clickRow(m.tree, i, e.X, double)
	}
	return nil
}

// clickRow moves the cursor to a row of the tree, or expands or collapses it.
func clickRow(t *tree.Tree, i, x int, double bool) tea.Cmd {
	o := t.Out
	if i < len(o.Stuck) {
		t.Visit()
		o.Climb(o.Stuck[i])
		return nil
	}
	row := o.Rows[i]
	o.Put(row, i)
	if mark := o.Indent().Of(row.Depth); double || x >= mark && x <= mark+1 {
		return t.Toggle()
	}
	return nil
}
