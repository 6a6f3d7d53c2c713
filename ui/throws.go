package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/table"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/command"
	"tracex/ui/internal/sheet"
)

// throwsAnswer shows the exceptions.
type throwsAnswer struct{ *asking }

func (a throwsAnswer) commands() []command.Command {
	return []command.Command{{
		Name: "throws", Group: groupAnswer, Help: "exceptions: where they were thrown and caught",
		Run: func(string) tea.Cmd { return a.show() },
	}}
}

func (a throwsAnswer) show() tea.Cmd {
	t, run := answer.NewThrows(a.env.Life, a.about(nil))
	first := sheet.Action{
		Key: "enter", Brief: "go to the first", Help: "go to the first of them", Leaves: true,
		Do: func(t *table.Table, row int) tea.Cmd {
			if event, ok := answer.RowOf(t, row).Event(); ok {
				return a.jobs.ToHandle(lazy.EventHandle(event), nil)
			}
			return nil
		},
	}
	return tea.Batch(a.tables.show(t, append([]sheet.Action{first}, a.steps.undoing(t))...), run)
}
