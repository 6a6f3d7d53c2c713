package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
)

// visit notes the current place before a jump leaves it.
func (m *Model) visit() {
	if p, ok := m.out.Here(); ok {
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
	if here, ok := m.out.Here(); ok {
		at = &here
	}
	to, ok := step(at)
	if !ok {
		m.say(none)
		return nil
	}
	return m.show(to)
}
