package answer

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
)

// Paths is the paths by which a method is called, or of what it calls.
type Paths struct {
	Answer
	options query.CallersOptions
}

// deepest is how long paths are at most, in calls.
const deepest = 5

// NewPaths returns the callers of a method, named as people write it, or its callees, and the
// command that runs the pass. The error is a [query.NoMethodError] if the trace has no such method.
func NewPaths(life context.Context, of Of, method string, callees bool) (*Paths, tea.Cmd, error) {
	p := &Paths{Answer: Answer{of: of, now: time.Now, life: life}}
	p.options = query.CallersOptions{Method: method, Callees: callees, Depth: deepest}
	cmd, err := p.start()
	return p, cmd, err
}

// start begins a pass.
func (p *Paths) start() (tea.Cmd, error) {
	o := p.options
	r, err := p.begin(p.life, func(scope query.Scope) (lazy.Collector, func(float64) *table.Table, error) {
		c, err := query.NewCallers(p.of.R, scope, o)
		if err != nil {
			return nil, nil, err
		}
		return c, func(done float64) *table.Table { return c.Table(query.CallersView{Done: done, G: p.of.G}) }, nil
	})
	if err != nil {
		return nil, err
	}
	return p.doing(r), nil
}

// CallsOn finds the calls that a row of a table counts, in the order of the trace.
func (p *Paths) CallsOn(ctx context.Context, path []string, progress lazy.Progress) ([]query.HistoryPoint, error) {
	scope, err := p.scope(ctx, p.of.Steps)
	if err != nil {
		return nil, err
	}
	o := p.options
	o.On = path
	c, err := query.NewCallers(p.of.R, scope, o)
	if err != nil {
		return nil, err
	}
	pass := scope.Over(c)
	pass.Progress = progress
	err = p.of.R.Pass(ctx, pass)
	return c.On(), err
}

// Deeper makes the longest path longer. It must be called on one goroutine, as Flip.
func (p *Paths) Deeper() (tea.Cmd, error) {
	p.options.Depth += deepest
	return p.start()
}

// Flip shows callees instead of callers, or callers instead of callees. It must be called on one
// goroutine.
func (p *Paths) Flip() (tea.Cmd, error) {
	p.options.Callees = !p.options.Callees
	return p.start()
}
