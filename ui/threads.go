package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/outline"
	"tracex/ui/internal/threads"
)

// listThreads shows the threads to choose from.
func (m *Model) listThreads() tea.Cmd {
	id, _ := m.out.Thread()
	l := threads.New(m.r.ThreadList(), m.timed(), m.g, id)
	m.overlay = &opened{l, func(m *Model, i int) tea.Cmd {
		if n, _ := m.out.Tree.Thread(l.ID(i)); n != nil {
			m.visit()
			m.out.Jump(outline.RowOf(n))
		}
		return nil
	}}
	return nil
}

// threadList returns the list of threads if it is shown, otherwise nil.
func (f *front) threadList() *threads.List {
	if f.overlay == nil {
		return nil
	}
	l, _ := f.overlay.overlay.(*threads.List)
	return l
}

// settleThreads updates the list of threads if it is shown, and otherwise stops its work in
// the background.
func (m *Model) settleThreads() tea.Cmd {
	l := m.threadList()
	if m.listed != nil && m.listed != l {
		m.listed.Close()
	}
	if m.listed = l; l == nil {
		return nil
	}
	var cmds []tea.Cmd
	for {
		// Repeat while results arrive within the patience of an Update.
		work := l.Settle(m.life, m.r.ThreadList(), m.width, m.overlayHeight(m.layout()))
		if work == nil {
			return tea.Batch(cmds...)
		}
		cmds = append(cmds, m.later(work))
	}
}
