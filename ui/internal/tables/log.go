package tables

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
)

func logPoint(r *lazy.LazyTraceReader, text string) (query.LogPoint, error) {
	p, err := query.ParseLogPoint(text)
	if err == nil {
		err = query.Check(r, p.Where)
	}
	return p, err
}

func (a *Answers) CheckLog(text string) (err error) {
	if text != "" && text != "-" {
		_, err = logPoint(a.env.Trace.Reader, text)
	}
	return err
}

// Log adds a log point, and shows the lines of all, as if the program had logged them; "-" forgets them.
func (a *Answers) Log(text string) tea.Cmd {
	switch {
	case text == "-":
		a.LogPoints = nil
		return a.env.Say("no log points are left")
	case text != "" && !slices.Contains(a.LogPoints, text):
		if len(a.LogPoints) == query.MostLogPoints {
			return a.env.Warn("there are too many log points: :log - forgets them")
		}
		a.LogPoints = append(a.LogPoints, text)
	}
	var points []query.LogPoint
	var faults error
	for _, text := range a.LogPoints {
		if p, err := logPoint(a.env.Trace.Reader, text); err != nil {
			faults = errors.Join(faults, err)
		} else {
			points = append(points, p)
		}
	}
	switch {
	case len(points) > 0:
		l := newAnswer(a, a.about(nil, nil))
		l.one, l.several = "listed event", "listed events"
		l.keys = []Key{
			{Name: "enter", Brief: "shows it", Help: "go to the event in the tree; n and N there: to those of the other lines", Leaves: true, Do: l.toEvent},
			{Name: "+", Brief: "add", Help: "add a log point", Always: true, Do: l.addPoint},
		}
		return l.open(&l, func(scope query.Scope) (finder, error) { return query.NewLog(l.of.R, scope, points), nil })
	case faults != nil:
		a.env.Warn(faults.Error())
	default:
		a.env.Say(`no log points yet: :log method=pay: "pay {arg.1} -> {ret|exc}"`)
	}
	return nil
}

func (a *Answers) addPoint(*table.Table, int) tea.Cmd { return a.tables.Line.OpenLine("log ") }
