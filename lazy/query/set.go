package query

import (
	"slices"

	"tracex/format"
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
	return &skipVisitor{setVisitor: setVisitor{m: c.c.matcher()}}
}

func (c *setCollector) Merge(v lazy.Visitor) error {
	var part *setVisitor
	switch v := v.(type) {
	case *setVisitor:
		part = v
	case *skipVisitor:
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

// skipVisitor is a setVisitor that does without the points that its filter cannot match. If a match
// depends on how a container ends, it decides there: that takes no search for the end.
type skipVisitor struct {
	setVisitor
	pre    *format.Prefilter
	skips  bool // in this part
	late   bool
	mixed  bool   // places may not be in order
	open   []bool // for each container that is open: whether it has been decided
	thread int32
}

func (v *skipVisitor) Begin(thread int32, around []lazy.PassFrame) {
	v.setVisitor.Begin(thread, around)
	v.thread, v.skips, v.open = thread, false, v.open[:0]
	for range around {
		v.open = append(v.open, true)
	}
}

func (v *skipVisitor) Prefilter() *format.Prefilter {
	if v.pre == nil {
		v.pre, v.late = v.m.f.Prefilter(), v.m.f.Late()
	}
	v.skips = v.pre != nil
	return v.pre
}

func (v *skipVisitor) Passed(depth int, upto int64) {
	v.reach(v.thread, upto)
	v.open = v.open[:min(depth, len(v.open))]
	for len(v.open) < depth {
		v.open = append(v.open, !v.late)
	}
}

func (v *skipVisitor) Leaf(p *lazy.PassPoint) {
	v.reach(p.Thread, p.At+1)
	v.add(p)
}

func (v *skipVisitor) Enter(p *lazy.PassPoint) {
	if !v.skips {
		v.setVisitor.Enter(p)
		return
	}
	v.reach(p.Thread, p.At+1)
	if !v.late {
		v.add(p)
	}
	v.open = append(v.open[:p.Depth], !v.late)
}

func (v *skipVisitor) Exit(p *lazy.PassPoint) {
	if !v.skips {
		v.setVisitor.Exit(p)
		return
	}
	v.End(p)
	v.open = v.open[:p.Depth]
}

// Beyond tests a container that a part without the bytes of any match begins: its footer may have them.
func (v *skipVisitor) Beyond(p *lazy.PassPoint) {
	v.reach(p.Thread, p.At+1)
	v.add(p)
	v.m.enter(p)
}

func (v *skipVisitor) End(p *lazy.PassPoint) {
	if v.skips && !v.open[p.Depth] {
		v.mixed, v.open[p.Depth] = true, true
		v.add(p)
	}
}

// sort puts the places in order, after the last visit.
func (v *skipVisitor) sort() {
	if v.mixed {
		for _, t := range v.found {
			slices.Sort(t.at)
		}
	}
}

// mostPlaced bounds the places that answers with other rows keep of what they found, 16 bytes each.
const mostPlaced = 1 << 18

// PlacesOf returns the set of places, which it sorts.
func PlacesOf(list []lazy.Position) *places.Set {
	slices.SortFunc(list, ComparePlaces)
	return placesOf(list, 0, true)
}

// placesOf returns a set of places, which are in the order of the trace; missed is how many more there are.
func placesOf(list []lazy.Position, missed int64, done bool) *places.Set {
	set := places.New()
	for i, at := range list {
		if i == 0 || at != list[i-1] {
			set.Add(at.Thread, at.At)
		}
	}
	set.Miss(missed)
	if done {
		set.Finish()
	}
	return set
}
