package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/counting"
)

// countingFacts is what the counting of children needs to know of the explorer.
func (m *Model) countingFacts() counting.Facts {
	return counting.Facts{
		Life: m.life, Tree: m.out.Tree, Cursor: m.out.Cursor, Rows: m.out.Rows,
		Following: m.known.Phase == lazy.PhaseFollowing, Now: m.clock.now(),
	}
}

// count begins to count what the screen shows numbers of.
func (m *Model) countVisible() tea.Cmd {
	if work := m.counting.children.Begin(m.countingFacts()); work != nil {
		return m.later(work)
	}
	return nil
}

// takeCensus begins to count the calls of the trace when nothing else goes on.
func (m *Model) takeCensus() tea.Cmd {
	busy := m.jobs.Running() || m.search.Running() || len(m.loads.underWay) > 0 || m.counting.children.Busy() || m.source.busy
	return m.counting.calls.Begin(m.life, m.r, m.known.Generation, m.known.Phase == lazy.PhaseReady && !busy)
}
