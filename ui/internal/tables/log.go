package tables

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
)

// Log is lines for the events that match log points, as if the program had logged them.
type Log struct {
	working
	found *places.Set // of the events of the lines; nil as long as they are looked for
}

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

// Log adds a log point, and shows the lines of all; "-" forgets them.
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
		l := &Log{working: working{Answers: a, of: a.about(nil, nil)}}
		run := l.start(points)
		return tea.Batch(a.tables.Show(l), run)
	case faults != nil:
		a.env.Warn(faults.Error())
	default:
		a.env.Say(`no log points yet: :log method=pay: "pay {arg.1} -> {ret|exc}"`)
	}
	return nil
}

// start returns the command that finds the lines.
func (l *Log) start(points []query.LogPoint) tea.Cmd {
	of := l.of
	scope := query.Scope{Raw: of.Raw}
	scope.Titled(of.where())
	empty := query.NewLog(of.R, scope, points).Table(l.env.Life, query.LogView{G: of.G})
	empty.Rows = table.List{}
	of.Steps.Tell(empty, of.G)
	return l.begin(empty, func(ctx context.Context) (func(), error) {
		if err := scope.Edit(ctx, of.R, of.Steps); err != nil {
			return nil, err
		}
		log := query.NewLog(of.R, scope, points)
		err := log.Run(ctx, func(done, total int64) {
			if total > 0 {
				t := *empty
				t.Done = float64(done) / float64(total)
				l.shown.Store(&t)
			}
		})
		if err != nil {
			return nil, err
		}
		t := log.Table(l.env.Life, query.LogView{Done: 1, G: of.G})
		of.Steps.Tell(t, of.G)
		t.Title = undamaged(of.R) + soFar(of.R) + t.Title
		t.Rows = newKept(t.Rows, t.Rows.Len())
		set := log.Places()
		return func() {
			l.found = set
			l.shown.Store(t)
		}, nil
	})
}

func (l *Log) Sifted() bool { return true }

func (l *Log) Load(ctx context.Context, t *table.Table, from, to int) error {
	return loadKept(ctx, t, from, to)
}

func (l *Log) Keys() []Key {
	return []Key{
		{Name: "enter", Brief: "shows it", Help: "go to the event in the tree; n and N there: to those of the other lines", Leaves: true},
		{Name: "+", Brief: "add", Help: "add a log point", Always: true},
	}
}

func (l *Log) Do(key string, t *table.Table, row int) tea.Cmd {
	if key == "+" {
		return l.tables.Line.OpenLine("log ")
	}
	rows, ok := t.Rows.(*kept)
	if !ok {
		return nil // no lines are there yet
	}
	at, ok := query.LoggedAt(rows.from, row)
	event, numbered := RowOf(t, row).Event()
	return l.goToOne(query.HistoryPoint{Position: at, Event: event}, ok && numbered, l.found, "listed event", "listed events")
}
