package query

import (
	"context"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/compact"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// callRows are the rows of a table with a row for each call.
type callRows struct {
	readRows
	c       *Calls
	order   *compact.Order // as in callsList
	columns table.Columns[callRow]
	g       *display.Glyphs
	extra   []callColumn
}

func (s *callRows) point(row int) (p HistoryPoint, ok bool) {
	list, _ := s.places(row, row+1)
	if len(list) == 0 {
		return p, false
	}
	return atPlace(list[0]), true
}

// places returns the places of rows and their weights.
func (s *callRows) places(from, to int) (at []lazy.Position, weights []int64) {
	rows := make([]uint32, 0, to-from)
	if s.order != nil {
		rows = s.order.AppendRows(rows, from, to)
	} else {
		for i := from; i < to; i++ {
			rows = append(rows, uint32(i))
		}
	}
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	for _, row := range rows {
		p, weight, ok := s.c.list.place(row)
		if !ok {
			break
		}
		at, weights = append(at, p), append(weights, weight)
	}
	return at, weights
}

func (s *callRows) read(ctx context.Context, from, to int) ([][]table.Value, error) {
	rows := make([][]table.Value, to-from)
	at, weights := s.places(from, to)
	points, err := read(ctx, s.c.r, &s.c.scope, true, at)
	if err != nil {
		return nil, err
	}
	extra, err := readExtra(ctx, s.c, s.extra, s.g, at)
	if err != nil {
		return nil, err
	}
	for i := range at {
		if len(points) > 0 && points[0].Position == at[i] {
			rows[i] = s.columns.Row(callRow{&points[0], weights[i], extra[at[i]]})
			points = points[1:]
		} else {
			rows[i] = make([]table.Value, len(s.columns))
		}
	}
	return rows, nil
}

// inStyle returns a text in one style.
func inStyle(text string, s format.Style) table.Value {
	return table.Styled(text, []format.Span{{End: len(text), Style: s}})
}
