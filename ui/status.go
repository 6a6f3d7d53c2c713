package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/status"
)

// say shows a message for a while.
func (m *Model) say(text string) { m.status.Say(text) }

// warn shows a message about something that went wrong.
func (m *Model) warn(text string) { m.status.Warn(text) }

// spin keeps the spinner turning while something runs, and lets a message fade.
func (m *Model) spin() tea.Cmd {
	return tea.Batch(m.status.Settle(m.busy(), m.clock.after), m.clockTick())
}

func (m *Model) busy() bool {
	return m.jobs.Running() || m.search.Running() || len(m.loads.underWay) > 0 || m.counting.children.Busy() || m.counting.calls.Lasts() || m.reading() ||
		m.listed != nil && m.listed.Busy()
}

func (m *Model) spinner() string { return m.status.Spinner(m.g) }

// changed arrives when the reader has changed.
type changed struct{}

func (changed) apply(m *Model) tea.Cmd { return m.watch() }

// watch waits for the reader to change.
func (m *Model) watch() tea.Cmd {
	if !m.watching {
		return nil
	}
	r, life := m.r, m.life
	return func() tea.Msg {
		select {
		case <-r.Changed():
			return changed{}
		case <-life.Done():
			return nil
		}
	}
}

// refresh brings the tree up to date with what the reader knows.
func (m *Model) refresh() {
	m.turn()
	if g := m.known.Generation; g != m.generation {
		m.generation = g
		m.out.Tree.Refresh()
		_, all := m.r.Totals()
		m.recorded = all.Bytes
	}
	if m.out.Cursor == (lazy.Row{}) {
		m.out.Cursor, _ = m.out.Tree.First()
	}
	m.takeTrace()
}

// activity tells what is running and how to stop it, if possible in room cells. It returns
// "" if nothing is.
func (m *Model) activity(room int) string {
	st := m.known
	switch {
	case m.jobs.Running():
		return m.spinner() + " " + m.jobs.Text() + "  esc stops"
	case m.search.Some():
		return m.search.Text(room, m.searchFacts())
	case m.reading():
		text := m.spinner() + " " + status.Phase(st, m.clock.now())
		if screen.TextWidth(text, m.g.ASCII) > room {
			text, _, _ = strings.Cut(text, " at ")
		}
		return text
	case m.out.Goal != nil || len(m.loads.underWay) > 0:
		return m.spinner() + " loading  esc stops"
	case st.Growth.On:
		return status.Growth(st, m.follow.on, m.clock.now(), room, m.g)
	case m.counting.children.Busy():
		return m.spinner() + " counting" + m.facts.counting + "  esc stops"
	case m.counting.calls.Lasts():
		return m.spinner() + " counting calls" + m.counting.calls.Share() + "  esc stops"
	}
	return ""
}

// troubles returns the lines about what is wrong with the trace.
func (m *Model) troubles() []string { return status.Troubles(m.known, m.facts.threads > 0) }
