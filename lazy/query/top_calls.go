package query

import "tracex/lazy"

// openCall is a call that has not ended, or a loop or an iteration that is dropped. In a part that it
// did not begin in, its sums are those of that part only.
type openCall struct {
	how    hiding
	loop   bool // a loop or an iteration
	group  int32
	ref    int32
	counts bool  // no step hides it, and it matches the filter
	outer  bool  // no other call of the group that counts is around it; of a merged call: none that it could add to
	root   bool  // no call that counts is around it
	wait   bool  // it is no call: see [format.Wait]
	at     int64 // points seen before it
	inCalls
	first  int64 // when the first call in it began; -1 if not known
	last   int64 // when the last call in it ended
	node   int32 // of its stack; -1 if it has none
	deeper bool  // it is below the levels of stacks: the node is that of a call around it
}

// inCalls is what the calls directly in a call add to it.
type inCalls struct {
	time  int64 // ns
	below int64 // points of these calls, and below them
	gone  int64 // ns: of the calls below it that are dropped
	waits int64 // ns: of the waits below it, or its own if it is one
	// How many calls directly in it were merged, and how many calls and other points below it dropped.
	merged, dropped int64
}

func (s *inCalls) add(o *inCalls) {
	s.time += o.time
	s.below += o.below
	s.gone += o.gone
	s.waits += o.waits
	s.merged += o.merged
	s.dropped += o.dropped
}

// has adds a call directly in this one, and its time.
func (c *openCall) has(up *inCalls, t lazy.Time) {
	c.inCalls.add(up)
	if t.Duration >= 0 {
		if c.first < 0 {
			c.first = t.Start
		}
		c.last = max(c.last, t.End())
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

// callEnd is the end of a call whose sums a part cannot complete.
type callEnd struct {
	openCall
	thread int32
	begun  bool // before the part
	never  bool // the call did not end: its thread did
	threw  bool
	time   lazy.Time // negative duration if not known
	seen   int64     // points seen before the end
	path   *callPath // nil if not asked for
	label  int32     // of its stack + 1; 0 for none
}

// ofCalls returns the time that the call around may begin or end by: its own, but that of the calls in a loop.
func (e *callEnd) ofCalls() lazy.Time {
	switch {
	case !e.loop:
		return e.time
	case e.first < 0:
		return lazy.Time{Duration: -1}
	}
	return lazy.Time{Start: e.first, Duration: e.last - e.first}
}

// along returns an ended call with its path.
func (e *callEnd) along(points, took int64) pathCall {
	if e.path.beyond {
		return pathCall{path: e.path}
	}
	c := pathCall{e.path, pathSums{Calls: 1}}
	if e.path.part {
		c.Calls = 0
	}
	if !e.path.inner {
		c.Total, c.Self = took, max(0, took-e.inCalls.time)
		c.Points, c.Own = points, points-e.below
	}
	return c
}

// callTime is the duration of a call.
type callTime struct {
	group int32
	ns    int64
}

// put adds the sums of a call that ended.
func (t *StackTree) put(e *callEnd, s StackSums) {
	node := e.node
	switch {
	case e.deeper:
		s.Calls = 0
	case e.label > 0:
		node = t.child(node, e.label-1, AtLabel)
	}
	t.Nodes[node].add(&s)
}
