package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/counting"
)

// countingFacts returns what the counting of children needs to know about the explorer.
func (m *Model) countingFacts() counting.Facts {
	return counting.Facts{
		Life: m.life, Tree: m.out.Tree, Cursor: m.out.Cursor, Rows: m.out.Rows,
		Following: m.known.Phase == lazy.PhaseFollowing, Now: m.clock.now(),
	}
}

// countVisible starts counting the numbers that the screen shows.
func (m *Model) countVisible() tea.Cmd {
	if work := m.counting.children.Begin(m.countingFacts()); work != nil {
		return m.later(work)
	}
	return nil
}

// takeCensus starts counting the calls of the trace if nothing else is running.
func (m *Model) takeCensus() tea.Cmd {
	busy := m.jobs.Running() || m.search.Running() || len(m.loads.underWay) > 0 || m.counting.children.Busy() || m.source.busy
	return m.counting.calls.Begin(m.life, m.r, m.known.Generation, m.known.Phase == lazy.PhaseReady && !busy)
}
