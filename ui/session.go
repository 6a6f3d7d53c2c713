package ui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/lazy/query"
	"tracex/ui/internal/details"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/search"
	"tracex/ui/internal/tree"
)

// begin takes over where the explorer begins, and the last session if there is no address.
func (m *Model) begin(o *Options) {
	s := m.marks.Session()
	m.arrival.to = o.At
	m.changes.Lead = o.At == nil && !o.Follow && !o.Tour && (o.Fresh || !s.Some())
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

// session returns where the explorer is; nil if the user has only looked at the first screen, follows or sees the tour.
func (m *Model) session() *notes.Session {
	o := m.tree.Out
	at, ok := o.Here()
	if !m.env.Keyboard.Used || !ok || m.follow.On() || m.tour.On() {
		return nil
	}
	return &notes.Session{
		At: at, Line: o.Line, Raw: !o.Tree.Folded(), Details: m.details.On(), Source: m.source.On(), Sizes: m.panes.sizes.List(),
		Log:    m.answers.LogPoints,
		Search: m.search.Last.Text, Regex: m.search.Last.Expr, Filter: m.filter.Text(), Expanded: o.Expanded(), Steps: m.steps.Saved(),
	}
}

// leave keeps the session when the explorer ends, and stops an export. An error tells what is lost.
func (m *Model) leave() error { return errors.Join(m.exports.Close(), m.marks.Close(m.session())) }

// arrival is the place where the explorer begins, if not at the first row: an address, or where the last session was.
// An address is looked for as soon as something of the trace is known, and, if that was too early, when all is known.
type arrival struct {
	env     *env.Env
	tree    *tree.Tree
	details *details.Pane
	filter  *search.Filter

	to      *lazy.Handle   // nil if there is none, or no longer
	session *notes.Session // the same
	tried   bool
	told    bool // whether times are missing
	job     int  // that looks for it; 0 if none does yet
}

func (a *arrival) looking() bool { return a.job != 0 && a.tree.Jobs.Current() == a.job }

// arrive goes to the place where the explorer begins, once. A key gives up looking for it when the trace is known.
func (a *arrival) arrive() tea.Cmd {
	settled := a.env.Trace.Settled() || a.env.Trace.Following()
	if settled && !a.told {
		if a.told = true; a.env.Trace.Diff == nil && query.WithoutTimes(a.env.Trace.Reader) != "" {
			a.env.Say(query.WithoutTimes(a.env.Trace.Reader))
		}
	}
	switch {
	case a.looking():
		return nil
	case a.session != nil && settled && !a.tree.Steps.Pending():
		s := a.session
		if a.session = nil; a.env.Keyboard.Touched {
			return nil
		}
		return a.resume(s)
	case a.to == nil || a.tree.Out.Tree.ThreadCount() == 0:
		return nil
	case a.tried && (a.env.Keyboard.Touched || !settled):
		return nil
	default:
		to := *a.to
		if a.tried = true; settled {
			a.to = nil
		}
		cmd := a.tree.Jobs.ToHandle(to, a.arrived)
		a.job = a.tree.Jobs.Current()
		return cmd
	}
}

// arrived ends the search for the place where the explorer begins.
func (a *arrival) arrived() {
	a.to, a.env.Keyboard.Touched = nil, true
	a.tree.Out.Goal = nil
}

// resume goes to where the last session of the trace was.
func (a *arrival) resume(s *notes.Session) tea.Cmd {
	a.tree.Out.Tree.CollapseEverything()
	var filter tea.Cmd
	if s.Filter != "" {
		filter = a.filter.Resume(s.Filter, s.At)
	}
	cmd := a.tree.Jobs.Resume(s.At, s.Expanded, func(n *lazy.Node) {
		a.arrived()
		a.tree.Out.Settle()
		a.tree.Out.Put(tree.RowOf(n), s.Line)
		if said, _ := a.env.Status.Message(); said == "" {
			text := "continued where you were"
			key := keys.ActionKey("first", a.env.Glyphs)
			if a.env.Keyboard.Keys.Of("g") == keys.First {
				key = "g" // shorter than its other name
			}
			if key != "" {
				text += " " + a.env.Glyphs.Dot + " " + key + ": first row"
			}
			a.env.Say(text)
		}
	})
	a.job = a.tree.Jobs.Current()
	return tea.Batch(filter, cmd)
}

// wideFrom is from how many columns on the details are open at first, with the overview of the trace.
const wideFrom = 160

// welcome shows the overview beside the tree of a trace that has just been opened, if the first window has
// room for it. With a session the user has chosen; with an address the details are about that.
func (a *arrival) welcome(width int, tour bool) {
	if a.env.Width > 0 || width < wideFrom || a.details.On() || a.session != nil || tour {
		return
	}
	a.details.Toggle()
	a.details.Welcome = a.to == nil
}
