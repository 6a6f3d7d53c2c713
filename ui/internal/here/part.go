// Package here finds the state at the cursor's row, for the details: arguments, variables and fields
// as last seen before it.
package here

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/background"
	"tracex/ui/internal/env"
)

// Part finds the state at one row at a time, in the background. Its methods run on one goroutine.
type Part struct {
	r      *lazy.LazyTraceReader
	env    *env.Env
	found  Found
	looks  place              // what is being looked for, while cancel is set
	cancel context.CancelFunc // nil if nothing runs
}

// place is a row of a view.
type place struct {
	at  lazy.Position
	raw bool
}

// Found is the state at a row. The zero Found is that of none.
type Found struct {
	place
	Known  bool
	Call   string             // the call around the row
	Values []query.StateValue // by part and name
	Notes  []string           // what the values do not tell
	Err    error              // why they could not be found
}

// At reports whether it is the state at a position.
func (f *Found) At(p lazy.Position) bool { return f.Known && f.at == p }

// New returns a Part.
func New(r *lazy.LazyTraceReader, e *env.Env) *Part { return &Part{r: r, env: e} }

// Found returns the state found last; it may be that of another row.
func (p *Part) Found() *Found { return &p.found }

// Busy reports whether something runs.
func (p *Part) Busy() bool { return p.cancel != nil }

// Show looks for the state at a node, of the raw or the folded view. What runs for another row is
// stopped first: its message arrives before this one's work begins. n may be nil.
func (p *Part) Show(n *lazy.Node, raw bool) tea.Cmd {
	if n == nil || n.Point() == nil {
		p.Stop()
		return nil
	}
	want := place{n.Position(), raw}
	switch {
	case p.cancel != nil:
		if p.looks != want {
			p.cancel()
		}
		return nil
	case p.found.Known && p.found.place == want:
		return nil
	}
	ctx, cancel := context.WithCancel(p.env.Life)
	p.looks, p.cancel = want, cancel
	r, at := p.r, query.HistoryPoint{Position: want.at, Event: n.Point().Event}
	return func() tea.Msg {
		return background.Guarded(func() tea.Msg { return find(ctx, r, want, at) })
	}
}

// Forget forgets what was found, as the trace is another one.
func (p *Part) Forget() {
	p.Stop()
	p.found = Found{}
}

// Stop stops what runs.
func (p *Part) Stop() {
	if p.cancel != nil {
		p.cancel()
	}
}

// Msg is the end of a Part's work, for Update.
type Msg struct{ found Found }

// Update handles the end of the work.
func (p *Part) Update(m Msg) {
	p.cancel()
	p.cancel = nil
	if m.found.Known {
		p.found = m.found
	}
}

// find finds the state before a point. It is not Known if that was stopped.
func find(ctx context.Context, r *lazy.LazyTraceReader, at place, point query.HistoryPoint) Msg {
	f := Found{place: at}
	s := query.NewState(r, at.raw, point)
	switch err := s.Run(ctx, nil); {
	case ctx.Err() != nil:
		return Msg{f}
	case errors.Is(err, query.ErrHidden): // it begins with what is hidden
	case err != nil:
		f.Err = err
	default:
		f.Call, f.Values, f.Notes = s.Call(), s.Values(), s.Notes()
	}
	f.Known = true
	return Msg{f}
}
