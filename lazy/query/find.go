package query

import (
	"context"
	"sync/atomic"

	"tracex/format"
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

// Complete returns what can be typed at the end of a filter: the candidates replace text[from:].
func Complete(r *lazy.LazyTraceReader, text string) (from int, candidates []filter.Candidate) {
	a := about(r)
	r.WithContext(func(c *format.Context) {
		a.Context = c
		from, _, candidates = filter.Complete(text, len(text), *a)
	})
	return from, candidates
}

// Suggest returns terms that match a node: calls of the same method, on the same object, with the
// same result, at least as long.
func Suggest(r *lazy.LazyTraceReader, n *lazy.Node) (terms []filter.Candidate) {
	p := n.Point()
	if p == nil {
		return nil
	}
	x := filter.Facts{Point: p, Thread: n.Thread(), Unfinished: n.State() == lazy.StateUnfinished}
	if p.Class.Container() && n.State() != lazy.StatePending {
		x.Footer = n.Footer()
	}
	if up := n.Parent(); !up.IsThread() {
		x.Parent = format.ParentOf(up.Point())
	}
	if t, ok := n.Time(); ok {
		x.At, x.Duration = t.Start, t.Duration
		x.Known |= filter.KnownAt | filter.KnownDuration
	}
	r.WithContext(func(c *format.Context) { terms = filter.Suggest(c, &x) })
	return terms
}

// FoundIn returns a Find that has found the places of a set, whatever made it. The title of its
// table names them: one "call", several "calls", of "f", which may be "".
func FoundIn(r *lazy.LazyTraceReader, set *places.Set, raw bool, one, several, of string) *Find {
	return &Find{Set: set, r: r, pass: lazy.Pass{Raw: raw}, one: one, several: several, of: of}
}

// AtMost returns how many matches a filter has at most, by the summary beside the trace. ok is false if
// that is not known: without a summary that fits, or if ctx ends before. It reads nothing of the trace.
func AtMost(ctx context.Context, r *lazy.LazyTraceReader, raw bool, e *filter.Expr) (n int64, ok bool) {
	f, err := bound(r, e)
	if err != nil {
		return 0, false
	}
	calls := true
	for class := format.ClassCall; class.Valid(); class++ {
		calls = calls && (class == format.ClassCall || !f.MayBe(class))
	}
	want := lazy.Want{
		Longer: f.Longer(),
		Point:  func(class format.Class, ref, thread int32) bool { return f.Quick(class, ref, thread) != filter.No },
	}
	if n, ok = lazy.SummaryOf(r).AtMost(ctx, want, calls); !ok || raw || !calls {
		return n, ok
	}
	if c, known := callsAtMost(r, f); known {
		n = min(n, c)
	}
	return n, true
}

// askedThreads bounds for how many threads a method is asked about.
const askedThreads = 64

// callsAtMost returns how many calls a filter matches at most, by how often each method is called in the
// folded view.
func callsAtMost(r *lazy.LazyTraceReader, f *filter.Filter) (n int64, ok bool) {
	threads := r.ThreadList()
	top := NewTop(r, Scope{}, ByMethod)
	if threads.Len() > askedThreads || !top.Recall() {
		return 0, false
	}
	r.WithContext(func(*format.Context) {
		for i, g := range top.groups.all {
			for k := range threads.Len() {
				if g.Unknown || f.Quick(format.ClassCall, g.ID, threads.ID(k)) != filter.No {
					n += top.rows[i].Calls
					break
				}
			}
		}
	})
	return n, true
}
