package query

import (
	"tracex/lazy"
)

// spanCollector is a findCollector for points in a span of time.
type spanCollector struct {
	findCollector
	of     *Find
	before carried
}

// spanVisitor is the visitor of a spanCollector.
type spanVisitor struct {
	setVisitor
	scope *Scope
	moments
	early [][]int64 // for each of found: places before the first moment known in the part
}

func (c *spanCollector) Visitor() lazy.Visitor {
	return &spanVisitor{setVisitor: setVisitor{m: c.c.matcher()}, scope: &c.of.scope}
}

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

// moments tell when the points of a part of a thread happened: containers when they began, others not
// before the last moment known before them, when a container around them began, or one there began or
// ended. They are for one visitor.
type moments struct {
	known bool // in this part
	now   int64
}

// begin begins a part: nothing is known.
func (m *moments) begin() { m.known = false }

// enter notes that a container begins.
func (m *moments) enter(p *lazy.PassPoint) {
	if t, timed := p.Time(); timed {
		m.known, m.now = true, t.Start
	}
}

// exit notes that a container ends.
func (m *moments) exit(p *lazy.PassPoint) {
	if t, timed := p.Time(); timed {
		m.known, m.now = true, t.End()
	}
}

// carried is the last moment of a thread in the parts that have been merged.
type carried struct {
	thread int32
	moments
}

// of returns the last moment before a part of a thread.
func (c *carried) of(r *lazy.LazyTraceReader, thread int32) (at int64, ok bool) {
	if c.thread != thread || !c.known {
		c.thread, c.moments = thread, moments{}
		if t, timed := r.ThreadTime(thread); timed {
			c.moments = moments{true, t.Start}
		}
	}
	return c.now, c.known
}

// after notes the last moment of a part.
func (c *carried) after(thread int32, m moments) {
	if m.known {
		c.thread, c.moments = thread, m
	}
}

// holds reports whether a moment is in the time of the scope.
func (s *Scope) holds(at int64) bool { return !s.Timed || at >= s.From && at < s.To }
