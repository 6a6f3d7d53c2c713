package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/pattern"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// escape stops running work. Without any, it ends the first that is on, in the order below. What was on when the
// user left a table for the tree is ended only after going back there.
func (m *Model) escape(n int) tea.Cmd {
	if n > 0 {
		return nil // it canceled the number
	}
	stopped := slices.Contains([]bool{
		m.tree.Jobs.Stop(), m.exports.Stop(), m.search.Stop(), m.filter.Stop(), m.changes.Stop(), m.overview.Stop(), m.tree.StopLoading(), m.compare.opening.Stop(),
	}, true)
	switch {
	case stopped || m.counting.Stop():
		m.env.Say("stopped")
	case m.tour.End():
		m.env.Say("the tour is over; " + keys.ActionKey("help", m.env.Glyphs) + " lists the keys")
	case m.panes.covers():
		m.panes.uncover()
	case back(m) != "" && m.env.Front.Return():
	case m.search.End():
	case m.filter.Clear():
	case m.panes.hide():
	case m.env.Front.Return():
	case m.follow.On():
		return m.follow.Toggle()
	case m.env.Trace.Known.Growth.On:
		m.env.Trace.Reader.Unfollow()
		m.env.Say("no longer following the recording; " + keys.ActionKey("follow", m.env.Glyphs) + " follows it again")
	}
	return nil
}

// ends is what Esc ends in the tree, and whether a list is in front of it.
type ends struct {
	search *pattern.Pattern // nil if there is none
	filter string           // "" if there is none
	panes  [screen.PaneCount]bool
	list   bool
}

// endsOf returns what is on.
func endsOf(m *Model) ends {
	e := ends{search: m.search.Pattern(), filter: m.filter.Text(), list: m.env.Front.List() != nil}
	for i, p := range m.panes.all {
		e.panes[i] = p.Lines != nil && p.On() && m.frame.layout.Side != screen.Nowhere // not aside
	}
	return e
}

// since reports whether something is on that was not.
func (e ends) since(was ends) bool {
	for p, on := range e.panes {
		if on && !was.panes[p] {
			return true
		}
	}
	return e.search != nil && e.search != was.search || e.filter != "" && e.filter != was.filter
}

// back returns the name of the list that Esc leads back to; "" if it does something else.
func back(m *Model) string {
	stops := m.tree.Jobs.Running() || m.exports.Running() || m.search.Running() || m.filter.Cur.Running() || m.changes.Running() || m.tree.Moving() || m.counting.Busy() || m.overview.Running() || m.compare.opening.Running() || m.tour.On() || m.panes.covers()
	if stops || endsOf(m).since(m.atList) {
		return ""
	}
	return m.env.Front.Back()
}
