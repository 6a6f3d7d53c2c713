package answer

import (
	"context"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
)

// Log is lines for the points that match filters.
type Log struct {
	working
	of    Of
	life  context.Context
	found atomic.Pointer[places.Set]
}

// NewLog returns the lines of log points, and the command that finds them.
func NewLog(life context.Context, of Of, points []query.LogPoint) (*Log, tea.Cmd) {
	l := &Log{of: of, life: life}
	scope := query.Scope{Raw: of.Raw}
	scope.Titled(of.where())
	empty := query.NewLog(of.R, scope, points).Table(life, query.LogView{G: of.G})
	empty.Rows = table.List{}
	of.Steps.Tell(empty, of.G)
	return l, l.begin(life, of.R, empty, func(ctx context.Context) (func(), error) {
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
		t := log.Table(l.life, query.LogView{Done: 1, G: of.G})
		of.Steps.Tell(t, of.G)
		t.Title = undamaged(of.R) + soFar(of.R) + t.Title
		t.Rows = &lines{of: t.Rows, at: make(map[int][]table.Value)}
		set := log.Places()
		return func() {
			l.found.Store(set)
			l.shown.Store(t)
		}, nil
	})
}

// Sifted reports that the filter of the tree applies.
func (l *Log) Sifted() bool { return true }

// Table returns the lines found.
func (l *Log) Table() *table.Table { return l.shown.Load() }

// Places returns where the events of the lines are; nil as long as they are looked for.
func (l *Log) Places() *places.Set { return l.found.Load() }

// Place returns the event of a row.
func (l *Log) Place(t *table.Table, row int) (at query.HistoryPoint, ok bool) {
	rows, is := t.Rows.(*lines)
	if !is {
		return at, false
	}
	if at.Position, ok = query.LoggedAt(rows.of, row); ok {
		at.Event, ok = RowOf(t, row).Event()
	}
	return at, ok
}

// Load makes rows known.
func (l *Log) Load(ctx context.Context, t *table.Table, from, to int) error {
	if rows, ok := t.Rows.(*lines); ok {
		for i := from; i < to && ctx.Err() == nil; i++ {
			rows.load(i)
		}
		if err := query.RowsErr(t); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// lines are rows that have been written. They keep a few thousand.
type lines struct {
	of table.Source // writes a row where it is asked for it

	mu sync.Mutex
	at map[int][]table.Value
}

const keptLines = 4096

func (l *lines) Len() int { return l.of.Len() }

func (l *lines) Row(i int) []table.Value {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at[i]
}

func (l *lines) load(i int) {
	row := l.of.Row(i)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.at) >= keptLines {
		clear(l.at)
	}
	if row != nil {
		l.at[i] = row
	}
}

// Err returns why rows could not be read.
func (l *lines) Err() error {
	if s, ok := l.of.(interface{ Err() error }); ok {
		return s.Err()
	}
	return nil
}
