package query

import (
	"context"
	"math"

	"tracex/lazy"
	"tracex/lazy/query/places"
)

// ShownOf returns those of some places that a tree shows: one with the steps of a scope, see [EditTree], and with only
// some matches, and what is around them and in them, unless matches is nil: see [lazy.Shown]. Positions of threads are
// shown with something in them.
func ShownOf(ctx context.Context, r *lazy.LazyTraceReader, scope Scope, of, matches *places.Set) (*places.Set, error) {
	c := &shownCollector{of: of, matches: matches}
	pass := scope.Over(c)
	pass.Skip = func(g lazy.PassRange) bool {
		to := g.To
		if to < 0 {
			to = math.MaxInt64
		}
		_, some := of.First(g.Thread, g.From, to)
		return !some
	}
	if err := r.Pass(ctx, pass); err != nil {
		return nil, err
	}
	for id, ok := of.NextThread(math.MinInt32); ok; id, ok = of.NextThread(id + 1) {
		_, is := of.First(id, -1, 0)
		_, some := int64(0), scope.Ranges == nil
		if matches != nil {
			_, some = matches.First(id, 0, math.MaxInt64)
		}
		if at, _ := of.First(id, -1, 0); is && at < 0 && some {
			c.list = append(c.list, lazy.Position{Thread: id, At: -1})
		}
	}
	return PlacesOf(c.list), nil
}

// shownCollector collects the places that are visited, and shown.
type shownCollector struct {
	of, matches *places.Set
	list        []lazy.Position
}

func (c *shownCollector) Visitor() lazy.Visitor { return &shownVisitor{c: c} }
func (c *shownCollector) Reset()                { c.list = nil }

func (c *shownCollector) Merge(v lazy.Visitor) error {
	c.list = append(c.list, v.(*shownVisitor).list...)
	return nil
}

// shownVisitor is its visitor.
type shownVisitor struct {
	c    *shownCollector
	open []bool // of the open containers: it, or one around it, is a match
	list []lazy.Position
}

func (v *shownVisitor) Begin(thread int32, around []lazy.PassFrame) {
	v.open = v.open[:0]
	for i := range around {
		v.open = append(v.open, v.in() || v.match(thread, around[i].At))
	}
}

func (v *shownVisitor) Leaf(p *lazy.PassPoint) { v.test(p, v.in() || v.match(p.Thread, p.At)) }
func (v *shownVisitor) Exit(*lazy.PassPoint)   { v.open = v.open[:len(v.open)-1] }

func (v *shownVisitor) Enter(p *lazy.PassPoint) {
	is := v.in() || v.match(p.Thread, p.At)
	v.test(p, is)
	v.open = append(v.open, is)
}

func (v *shownVisitor) in() bool { return len(v.open) > 0 && v.open[len(v.open)-1] }

func (v *shownVisitor) match(thread int32, at int64) bool {
	if v.c.matches == nil {
		return true
	}
	_, is := v.c.matches.First(thread, at, at+1)
	return is
}

// test adds a place that is shown: whole tells that it is a match, or in one.
func (v *shownVisitor) test(p *lazy.PassPoint, whole bool) {
	if _, is := v.c.of.First(p.Thread, p.At, p.At+1); !is {
		return
	}
	if !whole && p.Class.Container() { // it may be around one
		from, to, err := p.Content()
		if err != nil {
			p.Fail(err)
			return
		}
		_, whole = v.c.matches.First(p.Thread, from, to)
	}
	if whole {
		v.list = append(v.list, placeOf(p))
	}
}
