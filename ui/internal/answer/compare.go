package answer

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
)

// Compare is the table of where two parts of a trace differ.
type Compare struct {
	Answer
	timed  bool
	sort   string
	rising bool
	found  *query.Compare // of the pass begun last; guarded by Answer.mu
}

// NewCompare returns the table, and the command that compares. The error is [query.ErrPart] if the steps
// leave a part of the recording only.
func NewCompare(life context.Context, of Of, a, b lazy.Handle) (*Compare, tea.Cmd, error) {
	of = of.unsifted() // two whole calls are compared
	x := &Compare{Answer: Answer{of: of, now: time.Now, life: life, titled: true, whole: true}}
	_, x.timed = of.R.Times()
	for _, s := range of.Steps {
		if s.Kind == query.Range {
			return nil, nil, query.ErrPart
		}
	}
	r, err := x.begin(life, func(scope query.Scope) (lazy.Collector, func(float64) *table.Table, error) {
		found, err := query.NewCompare(of.R, scope, a, b)
		if err != nil {
			return nil, nil, err
		}
		return found, func(done float64) *table.Table {
			x.found = found // Answer.mu is held
			return found.Table(query.CompareView{Sort: x.sort, Rising: x.rising, Done: done, G: of.G})
		}, nil
	})
	if err != nil {
		return nil, nil, err
	}
	return x, x.doing(r), nil
}

// PlaceOf returns the place that a row of one of the tables is about, and its event; ok is false for a method.
func (x *Compare) PlaceOf(t *table.Table, row int) (at lazy.Position, event int32, ok bool) {
	x.mu.Lock()
	found := x.found
	x.mu.Unlock()
	return found.PlaceOf(t, row)
}

// Orders returns the columns by which it sorts.
func (x *Compare) Orders() []string { return query.CompareSorts(x.timed) }

// Sort sorts by a column.
func (x *Compare) Sort(_ context.Context, key string, rising bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sort, x.rising = key, rising
	x.show(x.run)
	return nil
}
