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
	m.steps.restore(s.Steps)
	m.points.texts = s.Log
	if s.Search != "" {
		m.search.last = prompt.Text{Text: s.Search, Expr: s.Regex}
		m.search.earlier = m.search.last
		m.front.Typed = prompt.History{"/": {m.search.last}}
	}
	if s.Filter != "" {
		m.filter.last = s.Filter
	}
	if o.At == nil && !o.Follow {
		m.arrival.session = &s
		if s.Details && !m.details.On() {
			m.details.Toggle()
		}
	}
}

// session returns where the explorer is; nil if that is not worth keeping: the user has only
// looked at the first screen, follows a recording, or sees the tour.
func (m *Model) session() *notes.Session {
	o := m.tree.Out
	at, ok := o.Here()
	if !m.keyboard.used || !ok || m.follow.On() || m.tour.on() {
		return nil
	}
	s := &notes.Session{
		At: at, Line: o.Line, Raw: !o.Tree.Folded(), Details: m.details.On(),
		Log:    m.points.texts,
		Search: m.search.last.Text, Regex: m.search.last.Expr, Filter: m.filter.text(), Expanded: o.Expanded(), Steps: m.steps.saved(),
	}
	return s
}

// leave keeps the session when the explorer ends, and stops an export. It returns an error if marks or notes
// are lost, or an export is.
func (m *Model) leave() error { return errors.Join(m.exports.Close(), m.marks.Close(m.session())) }
