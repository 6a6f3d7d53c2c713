package query

import (
	"context"
	"sync/atomic"

	"tracex/lazy"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
)

// Find finds the points that match a filter. The zero filter matches all points.
//
// The result is a set of places, which grows while Run runs: in the order of the trace.
type Find struct {
	Set   *places.Set
	r     *lazy.LazyTraceReader
	pass  lazy.Pass
	where *filter.Expr
	first int // stop after so many; 0 for all
	scope Scope
	rows  rowWindows // of its tables

	one, several, of string // name the places, see FoundIn; "" for matches of where
	// undated is how many matches are left out because nothing is known of when they happened.
	undated atomic.Int64
}

// NewFind prepares to find points: in a pass, which is that of a [Scope]. first limits how many are
// looked for, 0 for no limit.
func NewFind(r *lazy.LazyTraceReader, pass lazy.Pass, where *filter.Expr, first int) *Find {
	return &Find{Set: places.New(), r: r, pass: pass, where: where, first: first}
}

// Edit makes the result that of a scope with steps or a span of time. A point that is no call, loop or
// iteration has no time: it counts for the moment last known before it in its thread. The pass of the Find must be that of the scope.
func (f *Find) Edit(s Scope) { f.scope = s }

// over returns the pass for collectors.
func (f *Find) over(list ...lazy.Collector) lazy.Pass {
	pass := f.pass
	pass.Collect = f.scope.Over(list...).Collect
	return pass
}

// everything is the filter without a term.
var everything, _ = filter.Parse("")

// Check returns the error of a filter that does not fit the trace: a [filter.Error]. It reads no data.
func Check(r *lazy.LazyTraceReader, e *filter.Expr) error {
	_, err := bound(r, e)
	return err
}

// Run finds. tell gets the progress, on the caller's goroutine; it may be nil.
func (f *Find) Run(ctx context.Context, tell lazy.Progress) error {
	where := f.where
	if where == nil {
		where = everything
	}
	b, err := bound(f.r, where)
	if err != nil {
		return err
	}
	c, err := prepare(ctx, f.r, b, f.over)
	if err != nil {
		return err
	}
	collect := findCollector{setCollector{c: c, set: f.Set}, f.first}
	pass := f.over(&collect)
	if pass.Skip, pass.Among = c.skip(f.r), c.among(); f.scope.Timed {
		pass = f.over(&spanCollector{findCollector: collect, of: f}) // which has to see every moment
	}
	pass.Progress = tell
	if err := f.r.Pass(ctx, pass); err != nil {
		return err
	}
	if n, _ := f.Set.Count(); f.first == 0 || n < f.first {
		f.Set.Finish()
	}
	return nil
}

// findCollector is a setCollector that may have enough.
type findCollector struct {
	setCollector
	first int
}

func (c *findCollector) Merge(v lazy.Visitor) error {
	if err := c.setCollector.Merge(v); err != nil {
		return err
	}
	if n, _ := c.set.Count(); c.first > 0 && n >= c.first {
		return lazy.ErrEnough
	}
	return nil
}
