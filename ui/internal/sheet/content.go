package sheet

import (
	"context"
	"errors"

	"tracex/lazy/query/table"
)

// Content is what is in a sheet, for readers other than the screen.
type Content struct{ s *Sheet }

// Source returns what the sheet shows.
func (c Content) Source() Source { return c.s.src }

// Shown returns the table, and the numbers of its rows that pass the filter, in their order; nil if there is no
// filter. The error tells what they are still waiting for.
func (c Content) Shown() (t *table.Table, rows []int, err error) {
	s := c.s
	switch f := s.filter; {
	case s.running() || s.work != nil && s.work.what != "" || s.next != nil:
		return nil, nil, errors.New("the table is not complete yet: wait, or Esc stops it")
	case f == nil:
		return s.t, nil, nil
	case !f.Ended:
		return nil, nil, errors.New("not all rows have been looked at for the filter yet: wait")
	default:
		return s.t, append([]int{}, f.Passed...), nil
	}
}

// Load returns what makes rows of the table known; nil if all are.
func (c Content) Load() func(ctx context.Context, t *table.Table, from, to int) error {
	if l := c.s.loader(); l != nil {
		return l.Load
	}
	return nil
}

// Retry makes the next Settle load rows on the screen that are not known: another reader of the table may have
// taken their place.
func (c Content) Retry() { clear(c.s.tried) }
