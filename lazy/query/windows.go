package query

import (
	"context"
	"sync"

	"tracex/lazy/query/table"
)

// readRows are rows of a table that are read from the trace: when they are asked for, until ctx ends, or, if that is nil,
// by Load. Those read last are kept. Any goroutine may call its methods.
type readRows struct {
	ctx  context.Context
	n    int
	read func(ctx context.Context, from, to int) ([][]table.Value, error)
	kept *rowWindows
}

// rowWindows are the rows that are kept. Tables of the same rows share them.
type rowWindows struct {
	mu   sync.Mutex
	list [mostWindows]rowWindow
	err  error // why rows could not be read
}

// rowWindow is windowRows rows that are known, or fewer if there were no more when they were read.
type rowWindow struct {
	number int // from 1; 0 for none
	end    int // the number of the row after those that were read
	rows   [][]table.Value
}

// windowRows is how many rows are read at once, and mostWindows how many times that are kept.
const (
	windowRows  = 256
	mostWindows = 32
)

// Len returns how many rows there are.
func (s *readRows) Len() int { return s.n }

// Row returns a row; nil if it is not known.
func (s *readRows) Row(i int) []table.Value {
	row, failed := s.kept.row(i)
	if row != nil || s.ctx == nil || failed || s.Load(s.ctx, i, i+1) != nil {
		return row
	}
	row, _ = s.kept.row(i)
	return row
}

func (k *rowWindows) row(i int) (row []table.Value, failed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if w := &k.list[i/windowRows%mostWindows]; w.number == 1+i/windowRows && i%windowRows < len(w.rows) {
		row = w.rows[i%windowRows]
	}
	return row, k.err != nil
}

// Load makes the rows from from, and before to, known.
func (s *readRows) Load(ctx context.Context, from, to int) error {
	k := s.kept
	for first := from - from%windowRows; first < min(to, s.n); first += windowRows {
		end := min(first+windowRows, s.n)
		w := &k.list[first/windowRows%mostWindows]
		k.mu.Lock()
		known := w.number == 1+first/windowRows && w.end >= end
		k.mu.Unlock()
		if known {
			continue
		}
		rows, err := s.read(ctx, first, end)
		k.mu.Lock()
		if err == nil {
			*w = rowWindow{1 + first/windowRows, end, rows}
		} else if ctx.Err() == nil || s.ctx != nil {
			k.err = err
		}
		k.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// Err returns why rows could not be read; nil if all that were asked for could.
func (s *readRows) Err() error {
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	return s.kept.err
}

// RowsErr returns why rows of a table of found points, calls or log lines could not be read, nil if all
// that were asked for could.
func RowsErr(t *table.Table) error {
	if s, ok := t.Rows.(interface{ Err() error }); ok {
		return s.Err()
	}
	return nil
}

// PointAt returns the event that a row of an answer is about: its Event is -1 if the row has not been read yet.
func PointAt(t *table.Table, row int) (p HistoryPoint, ok bool) {
	rows, ok := t.Rows.(interface {
		point(row int) (HistoryPoint, bool)
	})
	if !ok || row < 0 || row >= t.Rows.Len() {
		return p, false
	}
	if p, ok = rows.point(row); p.Event < 0 {
		if event, known := RowOf(t, row).Event(); known {
			p.Event = event
		}
	}
	return p, ok
}

// answerRows are rows in memory.
type answerRows[R any] struct {
	columns table.Columns[R]
	list    []R
	at      func(row R) (HistoryPoint, bool) // the event that a row is about; nil if rows are about none
}

func (s *answerRows[R]) Len() int                { return len(s.list) }
func (s *answerRows[R]) Row(i int) []table.Value { return s.columns.Row(s.list[i]) }

func (s *answerRows[R]) point(row int) (p HistoryPoint, ok bool) {
	if s.at == nil {
		return p, false
	}
	return s.at(s.list[row])
}
