package answer

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
)

// Throws is the table of exceptions.
type Throws struct {
	Placed
	sort   string
	rising bool
}

// NewThrows returns the table of exceptions, and the command that runs the pass.
func NewThrows(life context.Context, of Of) (*Throws, tea.Cmd) {
	x := &Throws{Placed: Placed{Answer: Answer{of: of, now: time.Now, life: life}}}
	r, _ := x.begin(life, func(scope query.Scope) (lazy.Collector, func(float64) *table.Table, error) {
		t := query.NewThrows(of.R, scope, 0)
		return t, func(done float64) *table.Table {
			x.found(t, done)
			return t.Table(query.ThrowsView{Sort: x.sort, Rising: x.rising, Done: done, G: of.G})
		}, nil
	}) // it makes no error
	return x, x.doing(r)
}

// Orders returns the columns by which it sorts.
func (x *Throws) Orders() []string { return query.ThrowsSorts() }

// Sort sorts by a column.
func (x *Throws) Sort(_ context.Context, key string, rising bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sort, x.rising = key, rising
	x.show(x.run)
	return nil
}
