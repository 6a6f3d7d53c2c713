package query

import (
	"cmp"
	"errors"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/spill"
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
	wait   format.Type // what methods return that are waits; zero: [format.Wait]
	focus  *focus      // nil if no paths are asked for
	stacks *Stacks     // nil if no stacks are asked for
	pool   partPool[*topPart]

	mu      sync.Mutex // guards the fields below
	groups  *groups
	rows    []topRow    // by the number of the group
	threads *threadRows // by thread: the rows of other threads than those of the part merged last; nil otherwise
	all     Totals
	open    openCalls
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
		p := &topPart{top: t, groups: t.groups, around: -1, where: t.scope.matcher(), waits: waits{result: cmp.Or(t.wait, format.Wait)}}
		if t.focus != nil {
			p.focus = newFocusPart(t.focus, t.scope.recursions())
		}
		if t.stacks != nil {
			p.stacks = newStacksPart(&t.stacks.options, t.scope.recursions())
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
	t.open.stack.Reset()
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
	if err := t.merge(p, false); err != nil {
		return err
	}
	t.pool.put(p)
	return nil
}

// Takes is for the pass.
func (t *Top) Takes() bool { return true }

// Take is for the pass.
func (t *Top) Take(v lazy.Visitor) error {
	p := partOf(v)
	err := t.merge(p, true)
	p.taken()
	return err
}

// merge adds a part of any Top of the same groups, which may go on.
func (t *Top) merge(p *topPart, goesOn bool) error {
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
	t.join(p, goesOn)
	return cmp.Or(p.failure(), t.open.stack.Err())
}

// row returns the row of a group.
func (t *Top) row(group int32) *topRow {
	for int(group) >= len(t.rows) {
		t.rows = append(t.rows, topRow{})
	}
	return &t.rows[group]
}

// openCalls are the calls that are open between two parts of a thread.
type openCalls struct {
	stack spill.Stack[openCall]
	seen  int64 // points of all parts merged
	inner innerCall
}

// innerCall is the last call merged that never ended: the next one of its thread is around it.
type innerCall struct {
	known  bool
	thread int32
	end    int64 // of the thread; -1 if not known
	up     inCalls
	time   lazy.Time
}

// follows reports whether a part begins with the calls that are open, and forgets those of
// another thread.
func (o *openCalls) follows(p *topPart) bool {
	if p.around <= 0 {
		o.stack.Reset()
	}
	return max(0, p.around) == o.stack.Len()
}

// join completes the calls that began or ended in other parts. Those of a part that goes on stay with it.
func (t *Top) join(p *topPart, goesOn bool) {
	o := &t.open
	for i := range p.ends {
		t.end(&p.ends[i])
	}
	// Of the calls that are still open from earlier parts, the part added to the innermost only.
	if p.begun > 0 {
		o.stack.Last().join(p.stack.At(p.begun - 1))
	}
	if goesOn {
		return
	}
	for i := p.begun; i < p.stack.Len(); i++ {
		c := *p.stack.At(i)
		c.at += o.seen
		o.stack.Push(c)
	}
	o.seen += p.seen
	if t.scope.where == nil {
		t.all.Points += p.seen
	}
}

// end completes a call.
func (t *Top) end(e *callEnd) {
	o := &t.open
	e.seen += o.seen
	e.at += o.seen
	if e.begun {
		c := *o.stack.Last()
		o.stack.Pop()
		if t.threads != nil {
			c.group = 0 // the first thread of the part
		}
		c.join(&e.openCall)
		e.openCall = c
	}
	if e.never {
		t.unended(e)
	}
	var up inCalls
	if e.how != shown {
		up = t.hide(e, &t.all)
	} else {
		up = t.complete(e)
	}
	switch {
	case e.never:
		o.inner.up, o.inner.time = up, e.time
	case o.stack.Len() > 0:
		o.stack.Last().has(&up, e.ofCalls())
	}
}

// complete counts a completed call.
func (t *Top) complete(e *callEnd) inCalls {
	var list []callTime
	row := t.row(e.group)
	before := row.Sums
	up, points, took := t.count(e, &row.Sums, &t.all, &list)
	if t.stacks != nil {
		t.stacks.tree.put(e, row.Sums.since(&before))
	}
	for _, c := range list {
		row.times.Add(c.ns)
	}
	if e.path != nil {
		t.along(e.along(points, took))
	}
	return up
}

// unended gives a call that never ended its time, and what is known about the one directly in it
// that never ended either.
func (t *Top) unended(e *callEnd) {
	o := &t.open
	if o.inner.known && o.inner.thread == e.thread {
		e.openCall.has(&o.inner.up, o.inner.time)
	} else {
		o.inner = innerCall{known: true, thread: e.thread, end: -1}
		if all, ok := t.r.ThreadTime(e.thread); t.timed && ok {
			o.inner.end = all.End()
		}
	}
	if e.first >= 0 {
		o.inner.end = max(o.inner.end, e.last)
	}
	if !t.timed || o.inner.end < 0 {
		return
	}
	e.time = lazy.Time{Start: o.inner.end}
	if e.first >= 0 {
		e.time = lazy.Time{Start: e.first, Duration: max(0, o.inner.end-e.first)}
	}
}

// along adds an ended call to its path.
func (t *Top) along(c pathCall) {
	f := t.focus
	f.paths.add(c)
	if f.On == nil || c.path.part || c.path.beyond {
		return
	}
	on, groups := f.On, c.path.groups
	if len(groups) < len(on) || len(groups) > len(on) && f.Callees || len(on) == 0 && c.path.inner {
		return
	}
	t.groups.mu.Lock()
	defer t.groups.mu.Unlock()
	for i, name := range on {
		if t.groups.all[groups[i]].only != name {
			return
		}
	}
	f.on = append(f.on, c.path.at)
}

// beginThreads makes room for the rows of the threads of a part. The last thread of the part before may go on
// in it: calls of it are open then.
func (t *Top) beginThreads(threads []int32) {
	s := t.threads
	last := len(s.now) - 1
	goesOn := last >= 0 && len(threads) > 0 && s.now[last] == threads[0]
	for i := range t.rows {
		if !goesOn || i < last {
			s.add(s.now[i], &t.rows[i])
		}
	}
	switch {
	case goesOn && last < len(t.rows):
		t.rows[0] = t.rows[last]
		t.rows = t.rows[:1]
	default:
		t.rows = t.rows[:0]
	}
	s.now = append(s.now[:0], threads...)
}
