package query

import "tracex/lazy"

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
