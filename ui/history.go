package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
)

// here is the place of the cursor.
func (m *Model) here() (p lazy.Place, ok bool) {
	switch row := m.out.cursor; {
	case row.Node != nil && row.Node.IsThread():
		return lazy.Place{Thread: row.Node.Thread(), At: -1}, true
	case row.Node != nil:
		return row.Node.Place(), true
	case row.Parent != nil:
		return lazy.Place{Thread: row.Parent.Thread(), At: row.From}, true
	}
	return p, false
}

// visit notes the place that a jump is about to leave.
func (m *Model) visit() {
	if p, ok := m.here(); ok {
		m.history.Leave(p)
	}
}

func (m *Model) back(int) tea.Cmd {
	return m.through(m.history.Back, "nothing further back: jumps are remembered from now on")
}

func (m *Model) forth(int) tea.Cmd { return m.through(m.history.Forth, "nothing further ahead") }

// through goes to the place that a step through the history leads to.
func (m *Model) through(step func(here *lazy.Place) (lazy.Place, bool), none string) tea.Cmd {
	var at *lazy.Place
	if here, ok := m.here(); ok {
		at = &here
	}
	to, ok := step(at)
	if !ok {
		m.say(none)
		return nil
	}
	return m.show(to)
}
