package ui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/command"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/sheet"
)

// throwsAnswer shows the exceptions.
type throwsAnswer struct{ *asking }

func (a throwsAnswer) commands() []command.Command {
	return []command.Command{{
		Name: "throws", Group: groupAnswer, Args: "[where FILTER]", Help: "exceptions: where they were thrown and caught",
		Check:    func(args string) error { _, err := a.read(args); return err },
		Complete: func(args string) (int, []prompt.Candidate) { return a.completeWhere(args, "where ") },
		Run: func(args string) tea.Cmd {
			where, err := a.read(args)
			if err != nil {
				a.env.Warn(err.Error())
				return nil
			}
			return a.show(where)
		},
	}}
}

// read reads the arguments of the command throws.
func (a throwsAnswer) read(args string) (where *filter.Expr, err error) {
	others, where, err := a.arguments(args)
	if err == nil && others != "" {
		err = errors.New("throws takes where with a filter: not " + others)
	}
	return where, err
}

func (a throwsAnswer) show(where *filter.Expr) tea.Cmd {
	t, run := answer.NewThrows(a.env.Life, a.matching(nil, where))
	first := sheet.Action{
		Key: "enter", Brief: "go to the first", Help: "go to the first of them; n and N there: from one exception of the table to the next", Leaves: true,
		Do: func(s *table.Table, row int) tea.Cmd {
			at, ok := query.ThrownFirst(s, row)
			return a.goToOne(at, ok, t.Places(), "exception", "exceptions")
		},
	}
	return tea.Batch(a.tables.show(t, append([]sheet.Action{first, callsAnswer(a).ofRow(nil)}, a.steps.undoing(t)...)...), run)
}
