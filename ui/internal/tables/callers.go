package tables

import (
	"cmp"
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
)

// Paths is the paths by which a method is called, or of what it calls.
type Paths struct {
	Answer
	options query.CallersOptions
}

// deepest is how long paths are at most, in calls.
const deepest = 5

// Paths shows who calls a method, or what it calls.
func (a *Answers) Paths(args string, callees bool) tea.Cmd {
	method, where, _ := a.Arguments(args)
	return a.showPaths(method, callees, a.about(nil, where))
}

func (a *Answer) callersOf(t *table.Table, row int) tea.Cmd {
	method := query.RowOf(t, row).Call()
	if method == "" {
		return a.env.Say("this row is no method: it has no callers")
	}
	return a.showPaths(method, false, a.about(a.of.Below, nil))
}

// showPaths shows callers or callees of a method, or of that under the cursor if method is "".
func (a *Answers) showPaths(method string, callees bool, of Of) tea.Cmd {
	if method == "" {
		if method = a.methodHere(); method == "" {
			return nil
		}
	}
	p := newPaths(a, of, method, callees)
	p.keys = append([]Key{
		{Name: "enter", Brief: "its calls", Help: "go to the first call that the row counts: of the method by these callers, or of what it calls; n and N there: to the others", Leaves: true, Do: p.toCall},
		p.callsKey(), p.callersKey(),
		{Name: "tab", Brief: "callers/callees", Help: "what it calls, or who calls it", Always: true, Do: p.turn},
		{Name: "+", Brief: "longer paths", Help: "five more calls along each path", Always: true, Do: p.lengthen},
	}, p.stepKeys()...)
	return p.open(p, p.with(p.options))
}

func newPaths(a *Answers, of Of, method string, callees bool) *Paths {
	return &Paths{Answer: newAnswer(a, of), options: query.CallersOptions{Method: method, Callees: callees, Depth: deepest}}
}

// with returns how the paths are found. The error is a [query.NoMethodError] if the trace has no such method.
func (p *Paths) with(o query.CallersOptions) maker {
	return func(scope query.Scope) (finder, error) { return query.NewCallers(p.of.R, scope, o) }
}

func (p *Paths) turn(*table.Table, int) tea.Cmd {
	p.options.Callees = !p.options.Callees
	return p.start(p.with(p.options))
}

func (p *Paths) lengthen(*table.Table, int) tea.Cmd {
	p.options.Depth += deepest
	return p.start(p.with(p.options))
}

// toCall goes to the first call that a row counts, from the cursor on. From there n and N go to the others.
func (p *Paths) toCall(t *table.Table, row int) tea.Cmd {
	path, ok := query.PathOf(t, row)
	if !ok {
		return p.env.Say("this row is several paths: no single one to go along")
	}
	here, _ := p.tree.Out.Here()
	var set *places.Set
	return p.tree.Jobs.ToFound("looking for the calls of the path", func(ctx context.Context, progress lazy.Progress) (lazy.Position, int32, error) {
		list, err := p.callsOn(ctx, path, progress)
		if err != nil || len(list) == 0 {
			return lazy.Position{}, -1, cmp.Or(err, errNoCall)
		}
		at := make([]lazy.Position, len(list))
		for i := range list {
			at[i] = list[i].Position
		}
		set = query.PlacesOf(at)
		to := max(0, slices.IndexFunc(at, func(at lazy.Position) bool { return query.ComparePlaces(at, here) > 0 }))
		return at[to], list[to].Event, nil
	}, func() { p.walk("call of the path", "calls of the path", set, nil) })
}

var errNoCall = errors.New("the row counts no call")

// callsOn finds the calls along a path, in the order of the trace.
func (p *Paths) callsOn(ctx context.Context, path []string, progress lazy.Progress) ([]query.HistoryPoint, error) {
	scope, err := p.of.scope(ctx, p.of.Steps)
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
