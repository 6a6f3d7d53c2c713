package ui

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/command"
	"tracex/ui/internal/sheet"
)

// logPoints are the log points of the explorer, as typed. The session keeps them.
type logPoints struct{ texts []string }

// logAnswer prints lines for events, as if the program had logged them.
type logAnswer struct{ *asking }

func (a logAnswer) commands() []command.Command {
	return []command.Command{{
		Name: "log", Group: groupAnswer, Args: `[FILTER: "FORMAT"]`, Help: "lines for events, over all threads; without arguments those so far; :log - forgets them",
		Check: func(text string) error {
			if text == "" || text == "-" {
				return nil
			}
			p, err := query.ParseLogPoint(text)
			if err == nil {
				err = query.Check(a.trace.Reader, p.Where)
			}
			return err
		},
		Complete: a.completeFilter,
		Run:      a.run,
	}}
}

// run adds a log point, and shows the lines of all.
func (a logAnswer) run(text string) tea.Cmd {
	switch {
	case text == "-":
		a.points.texts = nil
		a.env.Say("no log points are left")
		return nil
	case text != "" && !slices.Contains(a.points.texts, text):
		if _, err := query.ParseLogPoint(text); err != nil {
			a.env.Warn(err.Error())
			return nil
		}
		if len(a.points.texts) == query.MostLogPoints {
			a.env.Warn("there are too many log points: :log - forgets them")
			return nil
		}
		a.points.texts = append(a.points.texts, text)
	}
	return a.show()
}

func (a logAnswer) show() tea.Cmd {
	var points []query.LogPoint
	var faults error
	for _, text := range a.points.texts {
		p, err := query.ParseLogPoint(text)
		if err == nil {
			err = query.Check(a.trace.Reader, p.Where)
		}
		if err != nil {
			faults = errors.Join(faults, err)
			continue
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		if faults != nil {
			a.env.Warn(faults.Error())
		} else {
			a.env.Say(`no log points yet: :log method=pay: "pay {arg.1} -> {ret|exc}"`)
		}
		return nil
	}
	l, run := answer.NewLog(a.env.Life, a.about(nil), points)
	return tea.Batch(a.tables.show(l, sheet.Action{
		Key: "enter", Brief: "shows it", Help: "go to the event in the tree; n and N there: to those of the other lines", Leaves: true, Do: func(t *table.Table, row int) tea.Cmd {
			at, ok := l.Place(t, row)
			return a.goToOne(at, ok, l.Places(), "listed event", "listed events")
		},
	}, sheet.Action{
		Key: "+", Brief: "add", Help: "add a log point", Always: true, Do: func(*table.Table, int) tea.Cmd { return a.tables.ask("log ") },
	}), run)
}
