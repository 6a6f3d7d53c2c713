package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

// routeInput passes a key or a click to what is in front.
func (m *Model) routeInput(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case keys.Depth:
		if n, ok := m.env.Keyboard.Count.Depth(msg); ok {
			return m.tree.Jobs.ToDepth(n)
		}
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case tea.MouseClickMsg:
		return m.clicked(msg)
	case tea.MouseMotionMsg:
		m.panes.dragged(msg)
	case tea.MouseReleaseMsg:
		m.panes.drag = screen.NoDivider
	}
	return nil
}

// key hands a key to what is in front: a prompt, a list, the tree.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	name, p := k.String(), m.env.Front.Prompt()
	asked := p != nil
	m.env.Keyboard.Touched = true
	if rest, ok := keys.WithoutAlt(k); ok && !(asked && p.Edits(k)) {
		cmd := tea.Batch(m.key(tea.KeyPressMsg{Code: tea.KeyEscape}), m.key(rest))
		m.env.Front.Still = false
		return cmd
	}
	c := m.env.Keyboard.Keys.Of(name)
	switch {
	case name == "ctrl+c" && !asked:
		return tea.Quit
	case (c == keys.Suspend || c == keys.Redraw) && strings.HasPrefix(name, "ctrl+"):
		return m.do(c, 0)
	case !screen.Usable(m.env.Width, m.env.Height):
		if name == "ctrl+c" || c == keys.Quit {
			return tea.Quit
		}
		return nil
	}
	if m.env.Keyboard.Prefix != nil && !asked {
		return m.env.Follow(name)
	}
	if l := m.env.Front.List(); l != nil && !asked && !l.Typing() {
		k = m.env.Keyboard.Keys.InList(k)
		switch key := k.String(); { // in every list
		case key == "esc" && m.exports.Stop():
			return m.env.Say("stopped")
		case key == ":":
			m.env.Status.Clear()
			return m.OpenLine("")
		case m.env.Keyboard.Keys.Of(key) == keys.Palette:
			return m.openPalette()
		}
	}
	if cmd, handled := m.env.Front.HandleKey(k); handled {
		return cmd
	}
	if m.env.Front.List() != nil {
		if opens[c] {
			return m.perform(c, 0)
		}
		return nil
	}
	count := &m.env.Keyboard.Count
	if d, ok := count.Digit(name); ok {
		return count.Add(d, m.env.Clock.After)
	}
	if c == "" {
		count.Take()
		return m.env.Say(keys.KeyName(name, m.env.Glyphs) + " is not bound (" + keys.ActionKey("help", m.env.Glyphs) + " for help)")
	}
	return m.perform(c, count.Take())
}

// perform ends what the key before has begun, and does what a command with a key does: see do.
func (m *Model) perform(c keys.Name, n int) tea.Cmd {
	m.env.Status.Clear()
	m.tree.Out.Goal = nil
	m.tree.LookAhead()
	m.env.Keyboard.Used = m.env.Keyboard.Used || c != keys.Quit && c != keys.Help
	cmd := m.do(c, n)
	m.tour.Did(c)
	return cmd
}

// wheel scrolls the tree, or the list in front of it.
func (m *Model) wheel(e tea.MouseWheelMsg) tea.Cmd {
	n := 3
	switch e.Button {
	case tea.MouseWheelUp:
		n = -n
	case tea.MouseWheelLeft:
		m.tree.Out.Shift(-4)
		return nil
	case tea.MouseWheelRight:
		m.tree.Out.Shift(4)
		return nil
	}
	if l := m.env.Front.List(); l != nil {
		l.Scroll(n)
		m.env.Front.Still = true
		return nil
	}
	m.env.Keyboard.Used = true
	if p, ok := m.frame.layout.PaneAt(e.X, e.Y); ok {
		m.panes.all[p].Scroll(n)
		return nil
	}
	if len(m.tree.Out.Rows) == 0 {
		return nil
	}
	m.tree.LookAhead()
	return m.tree.Aim(tree.Scroll(n))
}

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
			m.env.Front.Close()
		}
		return nil
	}
	if e.Y == m.env.Height-1 {
		if c := keys.HintAt(m.frame.hints, e.X-m.frame.hintsAt, m.env.Glyphs); c != "" {
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
