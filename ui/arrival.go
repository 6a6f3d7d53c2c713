package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/ui/internal/prompt"
)

// arrival is the place where the explorer begins, if not at the first row: an address, or where
// the last session was. An address is looked for as soon as something of the trace is known, and,
// if that was too early, when all is known.
type arrival struct {
	to      *lazy.Handle   // nil if there is none, or no longer
	session *notes.Session // the same
	tried   bool
	looking bool
	search  prompt.Text // the last search, also that of the last session
	earlier prompt.Text // the search of the last session, until there is one in this
}

// arrive goes to the place where the explorer begins, once. A key gives up looking for it when
// the trace is known.
func (m *Model) arrive() tea.Cmd {
	a := &m.arrival
	switch settled := m.trace.Settled() || m.trace.Following(); {
	case a.looking:
		return nil
	case a.session != nil && settled:
		s := a.session
		if a.session = nil; m.keyboard.touched {
			return nil
		}
		a.looking = true
		return m.resume(s)
	case a.to == nil || m.tree.Out.Tree.ThreadCount() == 0:
		return nil
	case a.tried && (m.keyboard.touched || !settled):
		return nil
	default:
		to := *a.to
		if a.tried = true; settled {
			a.to = nil
		}
		a.looking = true
		return m.jobs.ToHandle(to, m.arrived)
	}
}

// arrived ends the search for the place where the explorer begins.
func (m *Model) arrived(found bool) {
	m.arrival.looking = false
	if found {
		m.arrival.to, m.keyboard.touched = nil, true
		m.tree.Out.Goal = nil
	}
}

// begin takes over where the explorer begins, and the last session if there is no address.
func (m *Model) begin(o *Options) {
	s := m.marks.Session()
	m.arrival.to = o.At
	if o.Fresh || o.Tour || !s.Some() {
		return
	}
	if s.Search != "" {
		m.arrival.search = prompt.Text{Text: s.Search, Expr: s.Regex}
		m.arrival.earlier = m.arrival.search
		m.front.Typed = prompt.History{"/": {m.arrival.search}}
	}
	if o.At == nil && !o.Follow {
		m.arrival.session = &s
		if s.Details && !m.details.On() {
			m.details.Toggle()
		}
	}
}
