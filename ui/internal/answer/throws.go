package answer

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
)

// NewThrows returns the table of exceptions, and the command that runs the pass.
func NewThrows(life context.Context, of Of) (*Answer, tea.Cmd) {
	a := &Answer{of: of, now: time.Now, life: life}
	r, _ := a.begin(life, func(scope query.Scope) (lazy.Collector, func(float64) *table.Table, error) {
		t := query.NewThrows(of.R, scope, 0)
		return t, func(done float64) *table.Table { return t.Table(query.ThrowsView{Done: done, G: of.G}) }, nil
	}) // it makes no error
	return a, a.doing(r)
}
