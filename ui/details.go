package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/details"
)

func (m *Model) toggleDetails(int) tea.Cmd {
	m.details.Toggle()
	return nil
}

func (m *Model) scrollDetails(n int) tea.Cmd {
	m.details.Scroll(n)
	return nil
}

// detailsLines draws the details of the cursor's row.
func (m *Model) detailsLines(l layout) []string {
	of := &details.Subject{
		Row: m.out.Cursor, Name: m.shortName, Source: m.source.found,
		File: m.file(), Settled: m.settled(), Troubles: m.troubles(), Problem: m.known.Problem,
		Stats: m.facts.stats, HitBytes: m.search.Bytes(),
	}
	if n := of.Row.Node; n != nil {
		of.Text, of.Spans = m.text(n)
		if n.Point() != nil {
			of.Print = m.printCommand(n)
		}
	}
	return m.details.View(m.r, of, l.detailsIn, l.detailsHas, m.g)
}
