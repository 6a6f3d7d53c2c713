package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// The bounds of a session: how many rows above and below the cursor are looked at, and how many
// expanded nodes are kept.
const (
	sessionRows     = 1000
	sessionExpanded = 100
)

// resume goes to where the last session of the trace was.
func (m *Model) resume(s *notes.Session) tea.Cmd {
	m.tree.Out.Tree.CollapseEverything()
	return m.jobs.Resume(s.At, s.Expanded, func(n *lazy.Node) {
		m.arrived(n != nil)
		if n == nil {
			return
		}
		m.tree.Out.Settle()
		m.tree.Out.Put(outline.RowOf(n), s.Line)
		if _, alarm := m.env.Status.Message(); !alarm {
			text := "continued where you were"
			key := screen.ActionKey("first", m.env.Glyphs)
			if b := find(m.keyboard.keys, "g"); b != nil && b.name == "first" {
				key = "g" // shorter than its other name
			}
			if key != "" {
				text += " " + m.env.Glyphs.Dot + " " + key + ": first row"
			}
			m.env.Say(text)
		}
	})
}

// session returns where the explorer is; nil if that is not worth keeping: the user has only
// looked at the first screen, follows a recording, or sees the tour.
func (m *Model) session() *notes.Session {
	o := m.tree.Out
	at, ok := o.Here()
	if !m.keyboard.used || !ok || m.follow.On() || m.tour != nil {
		return nil
	}
	s := &notes.Session{
		At: at, Line: o.Line, Raw: !o.Tree.Folded(), Details: m.details.On(),
		Search: m.arrival.search.Text, Regex: m.arrival.search.Expr, Expanded: expandedAround(o),
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

// searched remembers a search for the next session.
func (m *Model) searched(t prompt.Text) { m.arrival.search, m.arrival.earlier = t, prompt.Text{} }

// leave keeps the session when the explorer ends. It returns an error if marks or notes are lost.
func (m *Model) leave() error { return m.marks.Close(m.session()) }
