package dataset

import "tracex/lazy"

// Times are those of the answers: see [query.Top]. A call whose time is not known, and what is in it, takes nothing
// of the call around it.

// up is what a call adds to the call around it.
type up struct {
	time  int64 // ns
	shape uint64
	span  lazy.Time // as recorded; negative duration if not known
}

// has adds a call directly in this one.
func (s *sums) has(u *up) {
	s.time += u.time
	s.kids.add(u.shape)
	if u.span.Duration >= 0 {
		if s.first < 0 {
			s.first = u.span.Start
		}
		s.last = max(s.last, u.span.End())
	}
}

// join adds what a later part found out about the same call.
func (s *sums) join(later *sums) {
	s.time += later.time
	s.kids.join(later.kids)
	if s.first < 0 {
		s.first = later.first
	}
	s.last = max(s.last, later.last)
}

// finish sets what is known of a call at its end: all but where it ends in the order of calls and points. method is the
// hash of its method. Any goroutine may call it.
func (c *collector) finish(r *call, e *callEnd, method uint64) up {
	u := up{span: e.time, shape: hashShape(method, e.kids)}
	r.shape, r.done, r.unfinished = u.shape, true, e.never
	from, to, ok := c.clip(e.time)
	if !ok {
		return u
	}
	r.start, r.started = from, true
	r.dur, r.self = to-from, max(0, to-from-e.sums.time)
	u.time = r.dur
	return u
}

// clip returns the part of a time that is in the scope.
func (c *collector) clip(t lazy.Time) (from, to int64, ok bool) {
	if t.Duration < 0 {
		return 0, 0, false
	}
	from, to = t.Start, t.End()
	if s := &c.job.Scope; s.Timed {
		counted := from >= s.From && from < s.To
		from, to = max(from, s.From), min(to, s.To)
		return from, to, from < to || from == to && counted
	}
	return from, to, true
}

// neverEnds completes a call that never ended: it ends where its thread ends, and begins, as far as is known, where the
// first call in it begins.
func (c *collector) neverEnds(r *call, e *callEnd) {
	n := &c.unended
	if n.known && n.thread == r.thread {
		e.sums.has(&n.up)
	} else {
		*n = unended{known: true, thread: r.thread, end: -1}
		if all, ok := c.job.R.ThreadTime(r.thread); c.job.Timed && ok {
			n.end = all.End()
		}
	}
	if e.sums.first >= 0 {
		n.end = max(n.end, e.sums.last)
	}
	if c.job.Timed && n.end >= 0 {
		e.time = lazy.Time{Start: n.end}
		if e.sums.first >= 0 {
			e.time = lazy.Time{Start: e.sums.first, Duration: max(0, n.end-e.sums.first)}
		}
	}
	n.up = c.finish(r, e, c.look.hash(r.method))
}
