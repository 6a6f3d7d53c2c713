package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
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
	actions := append([]sheet.Action{a.toCall(method), callsAnswer(a).ofRow(of.Below), a.ofRow(of.Below), flip}, a.steps.ofTable(p)...)
	return tea.Batch(a.tables.show(p, actions...), run)
}

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
