package query

import (
	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
)

// editor tests points for one visitor.
type editor struct {
	kind    StepKind
	among   *places.Set
	place   lazy.Position
	m       *matcher // nil if it is about places
	deep    bool     // the filter looks at the containers around
	classes uint32   // by bit: those that a match may have
	known   []quickly
}

// quickly is the verdict on the calls of a method in a thread.
type quickly struct {
	thread  int32 // + 1
	verdict filter.Verdict
}

func (e *edit) editor() *editor {
	x := &editor{kind: e.kind, among: e.among, place: e.place}
	if e.about != nil {
		x.m = e.about.matcher()
		x.deep = len(x.m.ins) > 0 || x.m.needs.Depth
		for c := format.Class(0); c.Valid(); c++ {
			if e.about.f.MayBe(c) {
				x.classes |= 1 << c
			}
		}
	}
	return x
}

// takes reports whether the edit may be about points of a class.
func (e *editor) takes(class format.Class) bool { return e.classes>>class&1 != 0 }

// takesLeaves reports whether the edit may be about points that are no containers.
func (e *editor) takesLeaves() bool {
	if e.among != nil {
		return true
	}
	for c := format.Class(0); c.Valid(); c++ {
		if !c.Container() && e.takes(c) {
			return e.kind != Focus
		}
	}
	return false
}

func (e *editor) begin() {
	if e.deep {
		e.m.begin()
	}
}

func (e *editor) enter(p *lazy.PassPoint) {
	if e.deep {
		e.m.enter(p)
	}
}

func (e *editor) exit() {
	if e.deep {
		e.m.exit()
	}
}

// match reports whether the step is about a point, and for an Only whether it merges that.
func (e *editor) match(p *lazy.PassPoint) bool {
	switch {
	case e.among != nil:
		return e.has(placeOf(p))
	case e.m == nil:
		here := p.At == e.place.At && p.Thread == e.place.Thread
		return here != (e.kind == Only) && (e.kind != Only || p.Class == format.ClassCall)
	}
	if !e.takes(p.Class) {
		return false
	}
	switch e.quick(p) {
	case filter.Yes:
		return true
	case filter.No:
		return false
	}
	return e.m.match(p)
}

// quick returns the verdict on p's class and what it refers to. It keeps those on the calls of methods.
func (e *editor) quick(p *lazy.PassPoint) filter.Verdict {
	if p.Ref < 0 || p.Ref >= mostDense || p.Class != format.ClassCall {
		return e.m.f.Quick(p.Class, p.Ref, p.Thread)
	}
	if n := int(p.Ref) + 1; n > len(e.known) {
		e.known = append(e.known, make([]quickly, max(n, 2*len(e.known))-len(e.known))...)
	}
	k := &e.known[p.Ref]
	if k.thread != p.Thread+1 {
		*k = quickly{p.Thread + 1, e.m.f.Quick(p.Class, p.Ref, p.Thread)}
	}
	return k.verdict
}
