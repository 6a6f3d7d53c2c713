package answer

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
)

// NewHistory returns the values of a location, with a mark at a point, which may be nil; and the
// command that runs the pass.
func NewHistory(life context.Context, of Of, l *query.Location, here *query.HistoryPoint) (*Placed, tea.Cmd) {
	a := &Placed{Answer: Answer{of: of, now: time.Now, life: life}}
	r, _ := a.begin(life, func(scope query.Scope) (lazy.Collector, func(float64) *table.Table, error) {
		h := query.NewHistory(of.R, scope, query.HistoryOptions{Location: l, Here: here, Keep: query.MostValues})
		return h, func(done float64) *table.Table {
			a.found(h, done)
			return h.Table(query.HistoryView{Done: done, G: of.G})
		}, nil
	}) // it makes no error
	return a, a.doing(r)
}

// NewState returns what is known of the call around a point, and the command that finds it out.
func NewState(life context.Context, of Of, at query.HistoryPoint) (*Answer, tea.Cmd) {
	a := &Answer{of: of.unsifted(), now: time.Now, life: life, whole: true}
	r, _ := a.begin(life, func(scope query.Scope) (lazy.Collector, func(float64) *table.Table, error) {
		s := query.NewState(of.R, scope.Raw, at)
		return s, func(done float64) *table.Table { return s.Table(done, of.G) }, nil
	}) // it makes no error
	return a, a.doing(r)
}
