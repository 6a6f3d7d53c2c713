package ui

import (
	"errors"
	"slices"

	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/prompt"
)

// The bounds of a session: how many rows above and below the cursor are looked at, and how many
// expanded nodes are kept.
const (
	sessionRows     = 1000
	sessionExpanded = 100
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
		Search: m.search.last.Text, Regex: m.search.last.Expr, Filter: m.filter.text(), Expanded: expandedAround(o), Steps: m.steps.saved(),
	}
	return s
}

// expandedAround returns the expanded nodes around the cursor, outer ones before those within.
func expandedAround(o *outline.Outline) (list []lazy.Position) {
	take := func(r lazy.Row) {
		if n := r.Node; n != nil && len(list) < sessionExpanded && !n.Leaf() && o.Tree.IsExpanded(n) {
			at := n.Position()
			if n.IsThread() {
				at.At = -1
			}
			list = append(list, at)
		}
	}
	r, ok := o.Cursor, true
	for i := 0; ok && i < sessionRows; i++ {
		take(r)
		r, ok = o.Tree.Prev(r)
	}
	slices.Reverse(list)
	r, ok = o.Tree.Next(o.Cursor)
	for i := 0; ok && i < sessionRows; i++ {
		take(r)
		r, ok = o.Tree.Next(r)
	}
	return list
}

// leave keeps the session when the explorer ends, and stops an export. It returns an error if marks or notes
// are lost, or an export is.
func (m *Model) leave() error { return errors.Join(m.exports.Close(), m.marks.Close(m.session())) }
