package ui

import (
	"errors"

	"tracex/lazy/notes"
	"tracex/ui/internal/prompt"
)

// begin takes over where the explorer begins, and the last session if there is no address.
func (m *Model) begin(o *Options) {
	s := m.marks.Session()
	m.arrival.to = o.At
	if o.Fresh || o.Tour || !s.Some() {
		return
	}
	m.steps.Restore(s.Steps)
	m.answers.LogPoints = s.Log
	if s.Search != "" {
		m.search.Last = prompt.Text{Text: s.Search, Expr: s.Regex}
		m.search.Earlier = m.search.Last
		m.env.Front.Typed = prompt.History{"/": {m.search.Last}}
	}
	if s.Filter != "" {
		m.filter.Last = s.Filter
	}
	if o.At == nil && !o.Follow {
		m.arrival.session = &s
		m.panes.restore(&s)
	}
}

// session returns where the explorer is; nil if that is not worth keeping: the user has only
// looked at the first screen, follows a recording, or sees the tour.
func (m *Model) session() *notes.Session {
	o := m.tree.Out
	at, ok := o.Here()
	if !m.env.Keyboard.Used || !ok || m.follow.On() || m.tour.On() {
		return nil
	}
	s := &notes.Session{
		At: at, Line: o.Line, Raw: !o.Tree.Folded(), Details: m.details.On(), Source: m.source.On(), Sizes: m.panes.sizes.List(),
		Log:    m.answers.LogPoints,
		Search: m.search.Last.Text, Regex: m.search.Last.Expr, Filter: m.filter.Text(), Expanded: o.Expanded(), Steps: m.steps.Saved(),
	}
	return s
}

// leave keeps the session when the explorer ends, and stops an export. It returns an error if marks or notes
// are lost, or an export is.
func (m *Model) leave() error { return errors.Join(m.exports.Close(), m.marks.Close(m.session())) }
