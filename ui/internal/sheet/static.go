package sheet

import (
	"context"
	"sync/atomic"

	"tracex/lazy/query/table"
)

// Static returns a Source that shows a table which is complete. It can be sorted by all columns.
func Static(t *table.Table) Source {
	s := &static{whole: t}
	s.now.Store(t)
	return s
}

// static is a table that does not grow.
type static struct {
	whole *table.Table // as it was given
	now   atomic.Pointer[table.Table]
}

func (s *static) Table() *table.Table { return s.now.Load() }

// Orders returns nil: all columns that are shown.
func (s *static) Orders() []string { return nil }

// Sort sorts the table.
func (s *static) Sort(ctx context.Context, key string, rising bool) error {
	sorted, err := table.Sort(ctx, s.whole, key, rising)
	if err == nil {
		s.now.Store(sorted)
	}
	return err
}
