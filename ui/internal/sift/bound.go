package sift

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/lazy/query/filter"
)

// Bound is how many matches a filter has at most, while it is typed. The zero value is about none.
type Bound struct {
	of    *filter.Expr // nil if no bound is wanted
	raw   bool
	begun bool
	stop  context.CancelFunc
	most  int64
	known bool
}

// Want asks for the bound of a filter, in place of the one before; of none if e is nil.
func (b *Bound) Want(e *filter.Expr, raw bool) {
	if b.stop != nil {
		b.stop()
	}
	*b = Bound{of: e, raw: raw}
}

// Known returns the bound; ok is false if it is not known, or not yet.
func (b *Bound) Known() (most int64, ok bool) { return b.most, b.known }

// Count returns work that finds the bound that is wanted, by the summary of the trace; nil if that is
// under way. The caller passes its message to Update.
func (p *Part) Count() func() tea.Msg {
	b := &p.Bound
	if b.of == nil || b.begun {
		return nil
	}
	ctx, cancel := context.WithCancel(p.life)
	b.begun, b.stop = true, cancel
	r, raw, of := p.r, b.raw, b.of
	return func() tea.Msg {
		defer cancel()
		most, ok := query.AtMost(ctx, r, raw, of)
		return bounded{of, most, ok}
	}
}

// bounded is the result of Count.
type bounded struct {
	of   *filter.Expr
	most int64
	ok   bool
}

func (m bounded) apply(p *Part) (tea.Cmd, error) {
	if p.Bound.of == m.of {
		p.Bound.most, p.Bound.known = m.most, m.ok
	}
	return nil, nil
}
