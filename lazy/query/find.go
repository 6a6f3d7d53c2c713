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
	if text, find, needs, ok := where.Text(); ok && !f.scope.Edited() && !f.scope.Timed {
		search := lazy.Search{Find: find, Needs: needs, Limits: lazy.LimitsOf(text)}
		pass.Collect = []lazy.Collector{&textCollector{lazy.SearchCollector(f.r, search, collect.take), &collect}}
	}
	if f.scope.Timed {
		pass = f.over(&spanCollector{findCollector: collect, of: f}) // which has to see every moment
	} else {
		c.within(&pass, f.r)
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
	return c.enough()
}

// Takes is for the pass.
func (c *findCollector) Takes() bool { return true }

// Take is for the pass.
func (c *findCollector) Take(v lazy.Visitor) error {
	err := c.Merge(v)
	p := &v.(*skipVisitor).setVisitor
	last := len(p.found) - 1
	p.found = append(p.found[:0], threadPlaces{thread: p.found[last].thread})
	p.some = false
	return err
}

func (c *findCollector) enough() error {
	if n, _ := c.set.Count(); c.first > 0 && n >= c.first {
		return lazy.ErrEnough
	}
	return nil
}

// take takes the places of a part, up to where it was searched.
func (c *findCollector) take(at []lazy.Position, upto lazy.Position) error {
	for _, p := range at {
		c.set.Add(p.Thread, p.At)
	}
	c.set.Reached(upto)
	return c.enough()
}

// textCollector finds a bare text as a search does, which decodes only what may have it.
type textCollector struct {
	lazy.Collector
	of *findCollector
}

// Takes is for the pass.
func (c *textCollector) Takes() bool {
	t, ok := c.Collector.(lazy.Taker)
	return ok && t.Takes()
}

// Take is for the pass.
func (c *textCollector) Take(v lazy.Visitor) error { return c.Collector.(lazy.Taker).Take(v) }

func (c *textCollector) Reset() {
	c.Collector.Reset()
	c.of.Reset()
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

// spanCollector is a findCollector for points in a span of time.
type spanCollector struct {
	findCollector
	of     *Find
	before carried
}

func (c *spanCollector) Visitor() lazy.Visitor {
	return &spanVisitor{setVisitor: setVisitor{m: c.c.matcher()}, scope: &c.of.scope}
}

// Takes is for the pass: what was before the first moment of a part is decided when that is merged.
func (c *spanCollector) Takes() bool { return false }

func (c *spanCollector) Reset() {
	c.findCollector.Reset()
	c.before = carried{thread: -1}
	c.of.undated.Store(0)
}

func (c *spanCollector) Merge(v lazy.Visitor) error {
	p := v.(*spanVisitor)
	for i := range p.found {
		at, known := c.before.of(c.of.r, p.found[i].thread)
		switch early := p.early[i]; {
		case !known:
			c.of.undated.Add(int64(len(early)))
		case p.scope.holds(at):
			p.found[i].at = append(early, p.found[i].at...)
		}
		if i == len(p.found)-1 {
			c.before.after(p.found[i].thread, p.moments)
		}
	}
	return c.findCollector.Merge(&p.setVisitor)
}

// spanVisitor is the visitor of a spanCollector.
type spanVisitor struct {
	setVisitor
	scope *Scope
	moments
	early [][]int64 // for each of found: places before the first moment known in the part
}

func (v *spanVisitor) Begin(thread int32, around []lazy.PassFrame) {
	v.setVisitor.Begin(thread, around)
	v.moments.begin()
	v.early = append(v.early, nil)
}

func (v *spanVisitor) Leaf(p *lazy.PassPoint) { v.test(p) }

func (v *spanVisitor) Enter(p *lazy.PassPoint) {
	v.moments.enter(p)
	v.test(p)
	v.m.enter(p)
}

func (v *spanVisitor) Exit(p *lazy.PassPoint) {
	v.moments.exit(p)
	v.setVisitor.Exit(p)
}

func (v *spanVisitor) test(p *lazy.PassPoint) {
	switch last := len(v.found) - 1; {
	case v.known && !v.scope.holds(v.now) || !v.m.match(p):
	case v.known:
		v.found[last].at = append(v.found[last].at, p.At)
	default:
		v.early[last] = append(v.early[last], p.At)
	}
}
