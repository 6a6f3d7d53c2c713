package answer

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
)

// Iterations is the table of a loop's iterations.
type Iterations struct {
	Answer
	timed  bool
	on     int64 // offset of the iteration where the cursor begins; -1 if that is not told
	sort   string
	rising bool
	found  *query.Iterations // of the pass begun last; guarded by Answer.mu
}

// NewIterations returns the table, and the command that runs the pass. The cursor begins on the iteration at
// the offset on; -1 for the first one.
func NewIterations(life context.Context, of Of, loop query.Loop, on int64) (*Iterations, tea.Cmd) {
	in := lazy.PositionHandle(loop.Position)
	of = of.unsifted() // it has all iterations
	of.Below = &in
	x := &Iterations{Answer: Answer{of: of, now: time.Now, life: life, titled: true, whole: true}, rising: true, on: on}
	_, x.timed = of.R.Times()
	r, _ := x.begin(life, func(scope query.Scope) (lazy.Collector, func(float64) *table.Table, error) {
		found := query.NewIterations(of.R, scope, loop)
		return found, func(done float64) *table.Table {
			x.found = found // Answer.mu is held
			return found.Table(query.IterationsView{Sort: x.sort, Rising: x.rising, Done: done, G: of.G})
		}, nil
	}) // it makes no error
	return x, x.doing(r)
}

// Found returns the iterations found so far.
func (x *Iterations) Found() *query.Iterations {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.found
}

// Begins returns where the cursor begins.
func (x *Iterations) Begins(t *table.Table) (row int, ok bool) {
	if x.on < 0 {
		return 0, false
	}
	return x.Found().RowOf(t, x.on)
}

// Orders returns the columns by which it sorts.
func (x *Iterations) Orders() []string { return query.IterationSorts(x.timed) }

// Sort sorts by a column.
func (x *Iterations) Sort(_ context.Context, key string, rising bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sort, x.rising = key, rising
	x.show(x.run)
	return nil
}
