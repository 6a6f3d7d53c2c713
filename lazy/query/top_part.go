package query

import (
	"cmp"
	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/spill"
)

// topPart is the visitor of a Top. Sums of calls that begin and end in its part are complete; the
// others are completed by Merge.
type topPart struct {
	top    *Top
	groups *groups
	slots  slots
	waits  waits
	thread int32
	from   int64 // logical offset: containers that begin before are not in the scope
	group  int32 // of all calls, by thread: the index of the thread in threads

	stack spill.Stack[openCall]
	lost  error   // see failure; of a stack that was emptied
	begun int     // the calls at the bottom of the stack that began before this part
	count int     // calls on the stack that count
	open  []int32 // by group: how many calls on the stack that count
	seen  int64   // points visited

	around  int    // calls that were open at the first Begin; -1 before it
	rows    []Sums // of the groups in touched
	touched []int32
	at      []int32 // by group: the index in touched + 1; 0 if not there
	took    []callTime
	threads []int32 // of the part, by thread
	all     Totals
	ends    []callEnd
	focus   *focusPart  // nil if no paths are asked for
	stacks  *stacksPart // nil if no stacks are asked for
	where   *matcher    // which calls count, or, with a focus, which are asked for; nil for all
	told    int         // of the calls that began before this part: those that where has seen
}

func (v *topPart) Begin(thread int32, around []lazy.PassFrame) { v.beginEdited(thread, around, nil) }

// beginEdited begins a part. how is what the steps do with the containers around it; nil if nothing.
func (v *topPart) beginEdited(thread int32, around []lazy.PassFrame, how []hiding) {
	v.thread, v.from = thread, v.top.scope.Begins(thread)
	v.leaveAll()
	if v.stacks != nil {
		v.stacks.begin(thread)
	}
	if v.groups.by == ByThread {
		if n := len(v.threads); n == 0 || v.threads[n-1] != thread {
			v.threads = append(v.threads, thread)
		}
		v.group = int32(len(v.threads) - 1)
	}
	for i := range around {
		h := shown
		if how != nil {
			h = how[i]
		}
		if f := &around[i]; stacked(f.Class, h) && f.At >= v.from {
			v.push(f, h)
			v.begun++
		}
		if v.stacks != nil && h == shown && around[i].At >= v.from {
			v.stacks.level++
		}
	}
	if v.around < 0 {
		v.around = v.begun
	}
	if v.where != nil {
		v.where.begin()
	}
}

// filteredPart is a topPart with a filter.
type filteredPart struct{ *topPart }

func (v filteredPart) Around(p *lazy.PassPoint) {
	if p.Class == format.ClassCall && p.At >= v.from {
		for v.stack.At(v.told).how != shown {
			v.told++
		}
		c := *v.stack.At(v.told)
		v.admit(&c, v.matches(&c, p))
		v.stack.Put(v.told, c)
		v.told++
	}
	v.where.enter(p)
}

// partOf returns the topPart of a visitor.
func partOf(v lazy.Visitor) *topPart {
	if f, ok := v.(filteredPart); ok {
		return f.topPart
	}
	return v.(*topPart)
}

// failure returns why calls that were open in the part were lost; nil if none were.
func (v *topPart) failure() error {
	err := cmp.Or(v.lost, v.stack.Err())
	if v.focus != nil {
		err = cmp.Or(err, v.focus.lost())
	}
	if v.stacks != nil {
		err = cmp.Or(err, v.stacks.lost())
	}
	return err
}

// leaveAll empties the stack.
func (v *topPart) leaveAll() {
	for _, c := range v.stack.All() {
		if c.counts {
			v.open[c.group]--
		}
	}
	v.lost = v.failure()
	v.stack.Reset()
	v.begun, v.count, v.told = 0, 0, 0
	if v.focus != nil {
		v.focus.leaveAll()
	}
}

// push puts a call on the stack. With a filter, admit must follow.
func (v *topPart) push(f *lazy.PassFrame, how hiding) {
	c := openCall{how: how, loop: f.Class != format.ClassCall, ref: f.Ref, at: v.seen, first: -1, node: -1}
	c.wait = !c.loop && v.waits.is(v.groups.ctx, f.Ref)
	if how != shown {
		c.outer = v.stack.Len() == 0 || v.stack.Last().how == outside
		v.stack.Push(c)
		return
	}
	c.group = v.group
	switch v.groups.by {
	case ByThread:
	case ByFile:
		c.group = v.slots.of(v.groups, f.Location)
	default:
		c.group = v.slots.of(v.groups, f.Ref)
	}
	for int(c.group) >= len(v.open) {
		v.open = append(v.open, 0)
	}
	if v.stacks != nil {
		c.node, c.deeper = v.stacks.push(f, c.group)
	}
	if v.where == nil {
		v.admit(&c, true)
	}
	v.stack.Push(c)
}

// matches reports whether a call matches the filter, if it makes a difference.
func (v *topPart) matches(c *openCall, p *lazy.PassPoint) bool {
	return (v.focus == nil || v.focus.asked(c.group, c.ref)) && v.where.match(p)
}

// admit lets a call on the stack count, if it matches the filter.
func (v *topPart) admit(c *openCall, match bool) {
	if v.focus != nil {
		v.focus.push(c.group, c.ref, match)
	} else if !match {
		return
	}
	v.open[c.group]++
	c.counts, c.root, c.outer = true, v.count == 0, v.open[c.group] == 1
	v.count++
}

func (v *topPart) Enter(p *lazy.PassPoint) {
	if p.Class == format.ClassCall {
		v.push(&p.PassFrame, shown)
	}
	if v.where != nil {
		if p.Class == format.ClassCall {
			c := v.stack.Last()
			v.admit(c, v.matches(c, p))
		}
		v.where.enter(p)
	}
	if v.stacks != nil {
		v.stacks.level++
	}
	v.seen++
}

// stacked reports whether a container is put on the stack: a call, or a loop or an iteration that is
// dropped, whose time belongs to no call.
func stacked(class format.Class, how hiding) bool { return class == format.ClassCall || how == dropped }

// hide puts a call that a step hides on the stack: when it begins and ends may tell when one around it does. A call that
// is merged is a point of its caller, as is another point.
func (v *topPart) hide(p *lazy.PassPoint, how hiding) {
	switch leaf := !p.Class.Container(); {
	case leaf && how == dropped && v.stack.Len() > 0:
		v.stack.Last().inCalls.dropped++
	case !leaf && stacked(p.Class, how):
		v.push(&p.PassFrame, how)
	}
	if how.merges() {
		v.seen++
	}
}

func (v *topPart) Leaf(*lazy.PassPoint) { v.seen++ }

// exitHidden is Exit for what a step hides.
func (v *topPart) exitHidden(p *lazy.PassPoint, how hiding) {
	if stacked(p.Class, how) {
		v.leave(p)
	}
}

func (v *topPart) Exit(p *lazy.PassPoint) {
	if v.where != nil {
		v.where.exit()
	}
	if v.stacks != nil && p.At >= v.from {
		v.stacks.level--
	}
	if p.Class == format.ClassCall {
		v.leave(p)
	}
}

// leave takes what ends off the stack.
func (v *topPart) leave(p *lazy.PassPoint) {
	if v.stack.Len() == 0 {
		return
	}
	e := callEnd{openCall: *v.stack.Last(), thread: v.thread, seen: v.seen, time: lazy.Time{Duration: -1}}
	v.stack.Pop()
	if e.counts {
		v.open[e.group]--
		v.count--
	}
	e.never = p.State != lazy.StateWhole
	if v.top.timed && !e.never {
		if t, ok := p.Time(); ok {
			e.time = t
		}
	}
	if e.counts {
		e.threw, _ = p.Threw() // the pass gets the error too
	}
	if e.begun = v.stack.Len() < v.begun; e.begun {
		v.begun--
	}
	if v.focus != nil && e.how == shown {
		if e.path = v.focus.pop(); e.path != nil {
			e.path.at = eventOf(p)
		}
	}
	if v.stacks != nil && e.how == shown {
		e.label = v.stacks.label(p)
		v.stacks.pop()
	}
	if e.begun || e.never {
		v.ends = append(v.ends, e)
		return
	}
	var up inCalls
	if e.how != shown {
		up = v.top.hide(&e, &v.all)
	} else {
		var points, took int64
		row := v.row(e.group)
		var before Sums
		if v.stacks != nil {
			before = *row
		}
		up, points, took = v.top.count(&e, row, &v.all, &v.took)
		if v.stacks != nil {
			v.stacks.tree.put(&e, row.since(&before))
		}
		if e.path != nil {
			v.focus.calls = append(v.focus.calls, e.along(points, took))
		}
	}
	if v.stack.Len() > 0 {
		v.stack.Last().has(&up, e.ofCalls())
	}
}

// row returns the sums of a group.
func (v *topPart) row(group int32) *Sums {
	for int(group) >= len(v.at) {
		v.at = append(v.at, 0)
	}
	if v.at[group] == 0 {
		v.rows = append(v.rows, Sums{})
		v.touched = append(v.touched, group)
		v.at[group] = int32(len(v.rows))
	}
	return &v.rows[v.at[group]-1]
}

// count adds an ended call to sums. It returns its points, the part of its time that is in the scope,
// and what it adds to the call around it.
func (t *Top) count(e *callEnd, row *Sums, all *Totals, list *[]callTime) (up inCalls, points, took int64) {
	points = e.seen - e.at
	up = inCalls{below: points, gone: e.gone, waits: e.waits, dropped: e.inCalls.dropped}
	clipped, counted, inside := t.clip(e)
	if e.wait && inside {
		up.waits = max(0, clipped-e.gone)
	}
	if !e.counts {
		if inside {
			took = max(0, clipped-e.gone)
			up.time = took
		}
		return up, points, took
	}
	if t.scope.where != nil && e.root {
		all.Points += points
	}
	if e.time.Duration < 0 && t.timed {
		all.Untimed++
	}
	if counted {
		row.call(e, points)
		all.Calls++
		if e.never {
			all.Unended++
		}
	}
	if !inside {
		return up, points, 0
	}
	took = max(0, clipped-e.gone)
	up.time = took
	if e.root {
		all.Time += took
	}
	if e.outer {
		row.Total += took
		row.Waiting += up.waits
	}
	if self := took - e.inCalls.time; self >= 0 {
		row.Self += self
	} else {
		all.Shorter++
	}
	if counted {
		row.Took += took
		row.Timed++
		row.Max = max(row.Max, took)
		*list = append(*list, callTime{e.group, took})
	}
	return up, points, took
}

// clip returns how much of the time of a call is in the scope; inside is false if none is, or that is
// not known. counted reports whether the call belongs to the scope.
func (t *Top) clip(e *callEnd) (ns int64, counted, inside bool) {
	if e.time.Duration < 0 {
		return 0, !t.scope.Timed, false
	}
	clipped, counted, inside := t.scope.clip(e.time)
	return clipped.Duration, counted, inside
}

// hide returns what an ended call that a step hides adds to the call around it.
func (t *Top) hide(e *callEnd, all *Totals) (up inCalls) {
	ns, _, inside := t.clip(e)
	switch e.how {
	case merged, muted:
		up = e.inCalls
		if e.wait && inside {
			up.waits = max(0, ns-e.gone)
		}
		up.merged++
		if e.outer && t.scope.where == nil {
			all.Outside.Calls += up.merged
			all.Outside.Own += e.seen - e.at - e.below
			if inside {
				all.Outside.Self += max(0, ns-e.gone-e.inCalls.time)
			}
		}
	case dropped:
		up.dropped = 1
		if inside {
			up.gone = ns
		}
	}
	return up
}

// call counts a call and its points.
func (s *Sums) call(e *callEnd, points int64) {
	s.Calls++
	if e.threw {
		s.Threw++
	}
	if e.never {
		s.Unended++
	}
	s.Own += points - e.below
	s.Merged += e.inCalls.merged
	if e.outer {
		s.Points += points
		s.Dropped += e.inCalls.dropped
	}
}

// taken forgets what was merged of the part, which goes on.
func (v *topPart) taken() {
	for _, g := range v.touched {
		v.at[g] = 0
	}
	v.rows, v.touched, v.took, v.ends = v.rows[:0], v.touched[:0], v.took[:0], v.ends[:0]
	v.all, v.around = Totals{}, v.begun
	if v.focus != nil {
		v.focus.calls = v.focus.calls[:0]
	}
	if v.begun > 0 { // what it added to the innermost of these was merged too
		c := *v.stack.At(v.begun - 1)
		c.inCalls, c.first, c.last = inCalls{}, -1, 0
		v.stack.Put(v.begun-1, c)
	}
}

// clear makes the part ready for another.
func (v *topPart) clear() {
	v.leaveAll()
	v.lost = nil
	v.taken()
	v.threads, v.seen, v.around = v.threads[:0], 0, -1
	if v.stacks != nil {
		v.stacks.clear()
	}
}
