package details

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// state finds the state at one row at a time, in the background. Its methods run on Bubble Tea's goroutine.
type state struct {
	env   *env.Env
	found foundState // the last one looked for; it may be that of another row
	task  env.Task
}

// place is a row of a view.
type place struct {
	at  lazy.Position
	raw bool
}

// foundState is the state at a row. The zero foundState is that of none.
type foundState struct {
	place
	known  bool
	call   string             // the call around the row
	values []query.StateValue // by part and name
	notes  []string           // what the values do not tell
	waited int64              // ns that a goroutine waited in it; -1 if that is not known
	err    error              // why they could not be found
}

// show looks for the state at a node, of the raw or the folded view. What runs for another row is
// canceled first: it ends before this one's work begins. n may be nil.
func (p *state) show(n *lazy.Node, raw bool) tea.Cmd {
	if n == nil || n.Point() == nil {
		p.task.Cancel()
		return nil
	}
	want := place{n.Position(), raw}
	switch {
	case p.task.Running():
		if p.found.place != want {
			p.task.Cancel()
		}
		return nil
	case p.found.known && p.found.place == want:
		return nil
	}
	p.found = foundState{place: want}
	handle, container := n.Handle(), n.Point().Class.Container()
	r, at := p.env.Trace.Reader, query.HistoryPoint{Position: want.at, Event: n.Point().Event}
	return p.task.Later(p.env, func(ctx context.Context) func() tea.Cmd {
		f := foundState{place: want, waited: -1}
		s := query.NewState(r, raw, at)
		err := s.Run(ctx, nil)
		f.known = ctx.Err() == nil
		switch {
		case errors.Is(err, query.ErrHidden): // it begins with what is hidden
		case err != nil:
			f.err = err
		default:
			f.call, f.values, f.notes = s.Call(), s.Values(), s.Notes()
		}
		if container && f.known {
			if ns, known, err := query.WaitedIn(ctx, r, raw, handle, mostWaited); known && err == nil {
				f.waited = ns
			}
			f.known = ctx.Err() == nil
		}
		return env.Done(func() { p.found = f })
	})
}

// mostWaited is how many bytes below a call are read for how long a goroutine waited in it.
const mostWaited = 32 << 20

// waitedIn returns for how many ns a goroutine waited in a call or a loop, once that is known.
func (p *state) waitedIn(n *lazy.Node) (ns int64, ok bool) {
	f := &p.found
	return f.waited, f.known && f.at == n.Position() && f.waited >= 0
}

// forget forgets what was found, as the trace is another one.
func (p *state) forget() {
	p.task.Stop()
	p.found = foundState{}
}

// state adds arguments, variables and fields as last seen before a node, once they are known.
func (w *writer) state(n *lazy.Node) {
	s := &w.p.state.found
	switch {
	case !s.known || s.at != n.Position():
		return
	case s.err != nil:
		w.pair("state", "not known: "+screen.ErrorLine(s.err), theme.Faint)
		w.section("")
		return
	case len(s.values) == 0:
		return
	}
	w.pair("before it", "in "+s.call, theme.Plain)
	label, last := "", query.StatePart(0)
	for i, v := range s.values {
		if i == mostState {
			w.pair("", "and "+display.Plural(int64(len(s.values)-i), "value")+": :state lists all", theme.Faint)
			break
		}
		if i == 0 || v.Part != last {
			label, last = v.Part.String(), v.Part
		}
		if v.Known {
			w.worded(label, v.Name, v.Value.Text, "  "+lazy.EventHandle(v.Event).String(), theme.Plain)
		} else {
			w.pair(label, v.Name+" was not seen before", theme.Faint)
		}
		label = ""
	}
	for _, note := range s.notes {
		w.pair("", note, theme.Faint)
	}
	w.section("")
}
