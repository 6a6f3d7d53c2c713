package query

import "tracex/lazy"

// openCalls are the calls that are open between two parts of a thread.
type openCalls struct {
	stack []openCall
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
		o.stack = o.stack[:0]
	}
	return max(0, p.around) == len(o.stack)
}

// join completes the calls that began or ended in other parts.
func (t *Top) join(p *topPart) {
	o := &t.open
	for i := range p.ends {
		t.end(&p.ends[i])
	}
	// Of the calls that are still open from earlier parts, the part added to the innermost only.
	if p.begun > 0 {
		o.stack[len(o.stack)-1].join(&p.stack[p.begun-1])
	}
	for _, c := range p.stack[p.begun:] {
		c.at += o.seen
		o.stack = append(o.stack, c)
	}
	o.seen += p.seen
	if t.scope.where == nil {
		t.all.Points += p.seen
	}
}

// join adds what a later part found out about an open call.
func (c *openCall) join(later *openCall) {
	c.inCalls.add(&later.inCalls)
	if c.first < 0 {
		c.first = later.first
	}
	c.last = max(c.last, later.last)
}

// end completes a call.
func (t *Top) end(e *callEnd) {
	o := &t.open
	e.seen += o.seen
	e.at += o.seen
	if e.begun {
		c := o.stack[len(o.stack)-1]
		o.stack = o.stack[:len(o.stack)-1]
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
	case len(o.stack) > 0:
		o.stack[len(o.stack)-1].has(&up, e.ofCalls())
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
