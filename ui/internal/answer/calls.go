package answer

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/background"
)

// Calls is all calls of a method, or those that match a filter: one by one, or grouped.
type Calls struct {
	Answer
	options query.CallsOptions
	on      *lazy.Position // the call where the cursor begins; nil if that is not told
	first   string         // how it is grouped at first; "" if it is not
	timed   bool
	found   *query.Calls // of the pass begun last; guarded by Answer.mu
}

// NewCalls returns the calls that options mean, and the command that runs the pass. The cursor begins on the
// call at a position, unless that is nil. The error is one of [query.NewCalls].
func NewCalls(life context.Context, of Of, o query.CallsOptions, on *lazy.Position) (*Calls, tea.Cmd, error) {
	c := &Calls{Answer: Answer{of: of, now: time.Now, life: life}, options: o, on: on, first: o.By}
	_, c.timed = of.R.Times()
	r, err := c.begin(life, c.maker(o))
	if err != nil {
		return nil, nil, err
	}
	return c, c.doing(r), nil
}

// callsPass is a collector that makes its passes itself.
type callsPass struct {
	lazy.Collector
	*query.Calls
}

// Reset is for the pass.
func (p callsPass) Reset() { p.Calls.Reset() }

// maker returns how the calls are found.
func (c *Calls) maker(o query.CallsOptions) maker {
	return func(scope query.Scope) (lazy.Collector, func(float64) *table.Table, error) {
		found, err := query.NewCalls(c.of.R, scope, o)
		if err != nil {
			return nil, nil, err
		}
		return callsPass{Calls: found}, func(done float64) *table.Table {
			c.found = found // Answer.mu is held
			return found.Table(query.CallsView{Done: done, G: c.of.G})
		}, nil
	}
}

// Found returns the calls found so far; nil if they are grouped.
func (c *Calls) Found() *query.Calls {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.options.By != "" {
		return nil
	}
	return c.found
}

// EventAt returns the place of a row's call; ok is false if rows are groups.
func (c *Calls) EventAt(t *table.Table, row int) (at lazy.Position, ok bool) {
	if found := c.Found(); found != nil {
		return found.Place(t, row)
	}
	return at, false
}

// Below returns what the calls are below; nil for the whole trace.
func (c *Calls) Below() *lazy.Handle { return c.of.Below }

// Options returns what is asked for.
func (c *Calls) Options() query.CallsOptions {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.options
}

// Begins returns where the cursor begins.
func (c *Calls) Begins(t *table.Table) (row int, ok bool) {
	found := c.Found()
	if c.on == nil || found == nil {
		return 0, false
	}
	return found.RowOf(t, *c.on)
}

// Orders returns the columns by which it sorts: nil for all that are shown.
func (c *Calls) Orders() []string {
	switch t := c.Table(); {
	case c.Options().By == "":
		return nil
	case c.timed:
		return []string{"calls", "total", "mean", "p99", "max", "threw", t.Columns[0].Key}
	default:
		return []string{"calls", "threw", t.Columns[0].Key}
	}
}

// Sort sorts by a column. If that takes another pass, it returns when that has ended. If ctx ends
// first, the pass goes on: it ends with Stop.
func (c *Calls) Sort(ctx context.Context, key string, rising bool) error {
	c.mu.Lock()
	found, o, ended := c.found, c.options, c.run.ended
	c.mu.Unlock()
	o.Sort, o.Reverse = key, rising != query.CallsRise(key)
	if o.By != "" {
		o.Reverse = rising != (key == c.Table().Columns[0].Key)
	}
	if ended && found.Sort(key, o.Reverse) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.found == found {
			c.options = o
			c.show(c.run)
		}
		return nil
	}
	return c.again(ctx, o)
}

// Groups returns the words by which groups can be made, first that of now; nil if there is a row
// for each call.
func (c *Calls) Groups() []string {
	by := c.Options().By
	if by == "" {
		return nil
	}
	list := []string{"arg.1", "ret", "recv", "thread", "caller", "caller.event", "threw", "line"}
	if i := slices.Index(list, c.first); i >= 0 {
		return slices.Concat(list[i:], list[:i])
	}
	return append([]string{c.first}, list...)
}

// Group groups by another word of Groups. It returns when the pass that takes has ended.
func (c *Calls) Group(ctx context.Context, by string) error {
	o := c.Options()
	o.By, o.Sort, o.Reverse = by, "", false
	return c.again(ctx, o)
}

// again finds the calls again.
func (c *Calls) again(ctx context.Context, o query.CallsOptions) error {
	r, err := c.begin(c.life, c.maker(o))
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.options = o
	c.mu.Unlock()
	done := make(chan tea.Msg, 1)
	go func() { done <- background.Guarded(c.ending(r)) }()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case msg := <-done:
		if p, ok := msg.(background.Panic); ok {
			p.Again()
		}
		return msg.(Msg).Err
	}
}

// Load makes rows known.
func (c *Calls) Load(ctx context.Context, t *table.Table, from, to int) error {
	return query.LoadCalls(ctx, t, from, to)
}
