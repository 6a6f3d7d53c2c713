package query

import (
	"errors"
	"sync"

	"tracex/lazy"
	"tracex/lazy/query/histogram"
)

// Top adds up the time and the points of groups of calls. It is a Collector of a pass over its
// scope; any goroutine may ask it for what has been merged so far.
//
// With a filter only the calls that match it count, and outermost calls are those within no other that
// counts; the time of a call, and what is in it, is the same as without.
//
// The time of a call is its duration, or the part of it within the scope. Loops and iterations are
// part of the call around them. A call that never ended ends where its thread ends; it begins, as
// far as is known, where the first call in it begins.
type Top struct {
	r      *lazy.LazyTraceReader
	scope  Scope
	by     By
	timed  bool
	focus  *focus  // nil if no paths are asked for
	stacks *Stacks // nil if no stacks are asked for
	pool   partPool[*topPart]

	mu      sync.Mutex // guards the fields below
	groups  *groups
	rows    []topRow    // by the number of the group
	threads *threadRows // by thread: the rows of other threads than those of the part merged last; nil otherwise
	all     Totals
	open    openCalls
}

// Sums are what is known about the calls of a group. Points are what people see as events.
type Sums struct {
	Calls int64
	Threw int64
	// Self is the time of the calls without that of the calls directly in them; Total is that of
	// outermost calls: those within no other call of the group. Both are in nanoseconds.
	Self, Total int64
	// Own is the number of points of the calls, and in their loops, that are not in calls in them;
	// Points that of outermost calls and of all points below them. A call is a point itself.
	Own, Points int64
	// Took is the sum of the durations of all counted calls that have one, and their number.
	Took, Timed int64
	Max         int64
	Unended     int64 // calls that never ended
	// Merged is the number of calls that steps merged into calls of the group; Dropped that of calls
	// that steps dropped below outermost calls of the group.
	Merged, Dropped int64
}

func (s *Sums) add(o *Sums) {
	s.Calls += o.Calls
	s.Threw += o.Threw
	s.Self += o.Self
	s.Total += o.Total
	s.Own += o.Own
	s.Points += o.Points
	s.Took += o.Took
	s.Timed += o.Timed
	s.Max = max(s.Max, o.Max)
	s.Unended += o.Unended
	s.Merged += o.Merged
	s.Dropped += o.Dropped
}

// Totals are sums over all groups.
type Totals struct {
	Calls   int64
	Points  int64 // all points, also outside calls; with a filter those of roots
	Time    int64 // of roots: calls that are in no other call that counts
	Unended int64 // calls that never ended
	Untimed int64 // calls without a time, in a trace with times
	// Shorter is the number of calls that took less time than the calls in them: their clocks
	// disagree.
	Shorter int64
	// Outside is what merged calls added to no call, as none is around them.
	Outside StackSums
}

func (t *Totals) add(o *Totals) {
	t.Calls += o.Calls
	t.Points += o.Points
	t.Time += o.Time
	t.Unended += o.Unended
	t.Untimed += o.Untimed
	t.Shorter += o.Shorter
	t.Outside.add(&o.Outside)
}

// NewTop returns a Top of a trace. Add it to the pass that scope returns.
func NewTop(r *lazy.LazyTraceReader, scope Scope, by By) *Top {
	t := &Top{r: r, scope: scope, by: by}
	_, t.timed = r.Times()
	t.Reset()
	return t
}

// Timed reports whether the trace has times. Without, only points and calls are known.
func (t *Top) Timed() bool { return t.timed }

func (t *Top) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.groups = newGroups(t.r, t.by)
	t.pool.renew(func() *topPart {
		p := &topPart{top: t, groups: t.groups, around: -1, where: t.scope.matcher()}
		if t.focus != nil {
			p.focus = newFocusPart(t.focus, t.scope.recursions())
		}
		if t.stacks != nil {
			p.stacks = newStacksPart(t.stacks, t.scope.recursions())
		}
		return p
	})
	if t.focus != nil {
		t.focus.on = nil
		t.focus.paths = newPaths(!t.focus.Callees, t.focus.Self && !t.focus.Callees)
		if len(t.scope.recursions()) > 0 && t.focus.Callees {
			// What is merged is no longer below what was around it: a path has the own time of the
			// calls that are still below it.
			t.focus.paths.prefixes, t.focus.paths.self, t.focus.paths.below = true, true, true
		}
	}
	t.rows, t.all, t.open = nil, Totals{}, openCalls{}
	if t.threads = nil; t.by == ByThread {
		t.threads = new(threadRows)
	}
}

func (t *Top) Visitor() lazy.Visitor {
	p := t.pool.get()
	if p.where != nil {
		return filteredPart{p}
	}
	return p
}

func (t *Top) Merge(v lazy.Visitor) error {
	p := partOf(v)
	if err := t.merge(p); err != nil {
		return err
	}
	t.pool.put(p)
	return nil
}

// merge adds a part of any Top of the same groups.
func (t *Top) merge(p *topPart) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.open.follows(p) {
		return errors.New("a part of a thread does not begin where the one before ended")
	}
	if t.threads != nil {
		t.beginThreads(p.threads)
	}
	for i, g := range p.touched {
		t.row(g).add(&p.rows[i])
	}
	for _, c := range p.took {
		t.rows[c.group].times.Add(c.ns)
	}
	if p.focus != nil {
		for i := range p.focus.calls {
			t.along(p.focus.calls[i])
		}
	}
	t.all.add(&p.all)
	if t.stacks != nil {
		t.stacks.take(p)
	}
	t.join(p)
	return nil
}

// topRow is what is known about a group.
type topRow struct {
	Sums
	times histogram.Histogram
}

// row returns the row of a group.
func (t *Top) row(group int32) *topRow {
	for int(group) >= len(t.rows) {
		t.rows = append(t.rows, topRow{})
	}
	return &t.rows[group]
}
