package ui

import (
	"cmp"
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/command"
	"tracex/ui/internal/sheet"
)

// pathsAnswer shows who calls a method, and what it calls.
type pathsAnswer struct{ *asking }

func (a pathsAnswer) commands() []command.Command {
	paths := func(name, help string, callees bool) command.Command {
		return command.Command{
			Name: name, Group: groupAnswer, Args: "[METHOD] [where FILTER]", Help: help,
			Check:    func(args string) error { _, _, err := a.arguments(args); return err },
			Complete: a.completeMethod,
			Run: func(args string) tea.Cmd {
				method, where, err := a.arguments(args)
				if err != nil {
					a.env.Warn(err.Error())
					return nil
				}
				return a.show(method, callees, a.matching(nil, where))
			},
		}
	}
	return []command.Command{
		paths("callers", "who calls a method, or that of the cursor", false),
		paths("callees", "what a method calls, or that of the cursor", true),
	}
}

// show shows callers or callees of a method, or of that under the cursor if method is "".
func (a pathsAnswer) show(method string, callees bool, of answer.Of) tea.Cmd {
	if method == "" {
		if method = a.methodHere(); method == "" {
			a.env.Say("no call under the cursor")
			return nil
		}
	}
	p, run, err := answer.NewPaths(a.env.Life, of, method, callees)
	if err != nil {
		a.noMethod(err)
		return nil
	}
	flip := sheet.Action{Key: "tab", Brief: "callers/callees", Help: "what it calls, or who calls it", Always: true, Do: func(*table.Table, int) tea.Cmd {
		run, err := p.Flip()
		if err != nil {
			a.noMethod(err)
		}
		return run
	}}
	deeper := sheet.Action{Key: "+", Brief: "longer paths", Help: "five more calls along each path", Always: true, Do: func(*table.Table, int) tea.Cmd {
		run, err := p.Deeper()
		if err != nil {
			a.noMethod(err)
		}
		return run
	}}
	enter := sheet.Action{Key: "enter", Brief: "its calls", Help: "go to the first call that the row counts: of the method by these callers, or of what it calls; n and N there: to the others", Leaves: true, Do: func(t *table.Table, row int) tea.Cmd {
		return a.toCallOn(p, t, row)
	}}
	actions := append([]sheet.Action{enter, callsAnswer(a).ofRow(of.Below), a.ofRow(of.Below), flip, deeper}, a.steps.ofTable(p)...)
	return tea.Batch(a.tables.show(p, actions...), run)
}

// toCallOn goes to the first call that a row counts, from the cursor on. From there n and N go to the others.
func (a pathsAnswer) toCallOn(p *answer.Paths, t *table.Table, row int) tea.Cmd {
	path, ok := query.PathOf(t, row)
	if !ok {
		a.env.Say("this row is several paths: no single one to go along")
		return nil
	}
	here, _ := a.tree.Out.Here()
	var set *places.Set
	return a.jobs.ToFound("looking for the calls of the path", func(ctx context.Context, progress lazy.Progress) (lazy.Position, int32, error) {
		list, err := p.CallsOn(ctx, path, progress)
		if err != nil || len(list) == 0 {
			return lazy.Position{}, -1, cmp.Or(err, errNoCall)
		}
		found := places.New()
		to := list[0]
		for i := range list {
			found.Add(list[i].Thread, list[i].At)
			if at := list[len(list)-1-i]; at.Thread > here.Thread || at.Thread == here.Thread && at.At > here.At {
				to = at
			}
		}
		found.Finish()
		set = found
		return to.Position, to.Event, nil
	}, func(found bool) {
		if found {
			a.results.use(&result{one: "call of the path", several: "calls of the path", raw: !a.tree.Out.Tree.Folded(), set: func() *places.Set { return set }})
		}
	})
}

var errNoCall = errors.New("the row counts no call")

// ofRow returns the key of a table that shows the callers of a row's method.
func (a pathsAnswer) ofRow(below *lazy.Handle) sheet.Action {
	return sheet.Action{Key: "w", Brief: "callers", Help: "who calls the method", Do: func(t *table.Table, row int) tea.Cmd {
		method := answer.RowOf(t, row).Call()
		if method == "" {
			a.env.Say("this row is no method: it has no callers")
			return nil
		}
		return a.show(method, false, a.about(below))
	}}
}
