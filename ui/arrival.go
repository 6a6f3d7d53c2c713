package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/ui/internal/env"
	"tracex/ui/internal/job"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tracestate"
	"tracex/ui/internal/tree"
)

// arrival is the place where the explorer begins, if not at the first row: an address, or where
// the last session was. An address is looked for as soon as something of the trace is known, and,
// if that was too early, when all is known.
type arrival struct {
	env      *env.Env
	keyboard *keyboard
	trace    *tracestate.State
	tree     *tree.Part
	jobs     *job.Part
	filter   *filtering
	steps    *stepping

	to      *lazy.Handle   // nil if there is none, or no longer
	session *notes.Session // the same
	tried   bool
	looking bool
}

// arrive goes to the place where the explorer begins, once. A key gives up looking for it when
// the trace is known.
func (a *arrival) arrive() tea.Cmd {
	switch settled := a.trace.Settled() || a.trace.Following(); {
	case a.looking:
		return nil
	case a.session != nil && settled && !a.steps.pending():
		s := a.session
		if a.session = nil; a.keyboard.touched {
			return nil
		}
		a.looking = true
		return a.resume(s)
	case a.to == nil || a.tree.Out.Tree.ThreadCount() == 0:
		return nil
	case a.tried && (a.keyboard.touched || !settled):
		return nil
	default:
		to := *a.to
		if a.tried = true; settled {
			a.to = nil
		}
		a.looking = true
		return a.jobs.ToHandle(to, a.arrived)
	}
}

// arrived ends the search for the place where the explorer begins.
func (a *arrival) arrived(found bool) {
	a.looking = false
	if found {
		a.to, a.keyboard.touched = nil, true
		a.tree.Out.Goal = nil
	}
}

// resume goes to where the last session of the trace was.
func (a *arrival) resume(s *notes.Session) tea.Cmd {
	a.tree.Out.Tree.CollapseEverything()
	var filter tea.Cmd
	if s.Filter != "" {
		filter = a.filter.resume(s.Filter, s.At)
	}
	return tea.Batch(filter, a.jobs.Resume(s.At, s.Expanded, func(n *lazy.Node) {
		a.arrived(n != nil)
		if n == nil {
			return
		}
		a.tree.Out.Settle()
		a.tree.Out.Put(outline.RowOf(n), s.Line)
		if _, alarm := a.env.Status.Message(); !alarm {
			text := "continued where you were"
			key := screen.ActionKey("first", a.env.Glyphs)
			if b := find(a.keyboard.keys, "g"); b != nil && b.name == "first" {
				key = "g" // shorter than its other name
			}
			if key != "" {
				text += " " + a.env.Glyphs.Dot + " " + key + ": first row"
			}
			a.env.Say(text)
		}
	}))
}
