package query

import (
	"tracex/lazy"
	"tracex/lazy/query/places"
)

// setCollector collects the places of points that match.
type setCollector struct {
	c   *condition
	set *places.Set
}

// setVisitor is the visitor of a setCollector.
type setVisitor struct {
	m     *matcher
	found []threadPlaces
	upto  lazy.Position // after the last point seen
	some  bool          // any was seen
}

type threadPlaces struct {
	thread int32
	at     []int64
}

func (c *setCollector) Visitor() lazy.Visitor {
	return &skimVisitor{setVisitor: setVisitor{m: c.c.matcher()}}
}

func (c *setCollector) Merge(v lazy.Visitor) error {
	var part *setVisitor
	switch v := v.(type) {
	case *setVisitor:
		part = v
	case *skimVisitor:
		v.sort()
		part = &v.setVisitor
	}
	for _, t := range part.found {
		c.set.Add(t.thread, t.at...)
	}
	if part.some {
		c.set.Reached(part.upto)
	}
	return nil
}

func (c *setCollector) Reset() { c.set.Reset() }

func (v *setVisitor) Begin(thread int32, _ []lazy.PassFrame) {
	v.m.begin()
	v.found = append(v.found, threadPlaces{thread: thread})
}

func (v *setVisitor) Around(p *lazy.PassPoint) { v.m.enter(p) }
func (v *setVisitor) Leaf(p *lazy.PassPoint)   { v.test(p) }

func (v *setVisitor) Enter(p *lazy.PassPoint) {
	v.test(p)
	v.m.enter(p)
}

func (v *setVisitor) Exit(*lazy.PassPoint) { v.m.exit() }

func (v *setVisitor) test(p *lazy.PassPoint) {
	v.reach(p.Thread, p.At+1)
	v.add(p)
}

// reach notes that a part has been seen up to a place.
func (v *setVisitor) reach(thread int32, at int64) {
	v.upto, v.some = lazy.Position{Thread: thread, At: at}, true
}

// add adds a point if it matches.
func (v *setVisitor) add(p *lazy.PassPoint) {
	if v.m.match(p) {
		t := &v.found[len(v.found)-1]
		t.at = append(t.at, p.At)
	}
}
