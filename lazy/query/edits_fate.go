package query

import (
	"slices"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
)

// hiding tells what the steps do with a container.
type hiding uint8

const (
	shown   hiding = iota
	outside        // of what a Focus is about
	merged         // what is directly in it takes its place
	muted          // merged, or in what is, with all points directly in it that are no calls: by an Only
	dropped
	within // what is dropped
)

// merges reports whether something is an event of the call around it.
func (h hiding) merges() bool { return h == merged || h == muted }

// mute tells of the calls around a point, for each edit of kind Only by a bit, whether it merges the
// innermost of those that are left by the edits before it. If one does, a point there that is no call
// is hidden with that call.
type mute uint64

// of returns whether an edit hides a point that is no call.
func (m mute) of(edit int) bool { return m>>edit&1 != 0 }

// in returns the mute in a call that an edit hides, or in one that is shown if edit is negative.
func (m mute) in(edit int, only bool) mute {
	if edit < 0 {
		return 0
	}
	m &^= 2<<edit - 1 // the edits up to this one see the call itself
	if only {
		m |= 1 << edit
	}
	return m
}

// edits are the steps of a scope, prepared for its trace.
type edits struct {
	steps Steps
	list  []edit
	paths []*filter.Filter // the methods whose recursion paths do not show

	pool pool[[]*editor] // one for each edit; those given back know already which methods they are about
}

// edit is what points are tested for: a step, or several in a row of the same kind that merge.
type edit struct {
	kind  StepKind      // Focus, Merge, Drop, or Only: which calls it merges
	about *condition    // holds of calls only, unless the filter names kinds
	among *places.Set   // if about is nil; nil for one place
	place lazy.Position // if about and among are nil
}

// mostEdits bounds how many edits a tree may have. Steps in a row that merge are one.
const mostEdits = 60

// editors returns an editor for each edit.
func (x *edits) editors() []*editor {
	list := x.pool.get()
	for i := len(list); i < len(x.list); i++ {
		list = append(list, x.list[i].editor())
	}
	return list
}

// listed reports whether a step is about a set of places, which may have points that are no containers.
func (x *edits) listed() bool {
	return slices.ContainsFunc(x.list, func(e edit) bool { return e.among != nil })
}

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

// fate returns what an edit does with a container; hit tells that it is about it, open that a root of an edit that focuses
// is open, it or around it, and mute that it is no call and in one that the edit merges.
func (e *editor) fate(hit, open, mute bool) hiding {
	switch {
	case e.kind == Focus && !open:
		return outside
	case e.kind == Merge && hit:
		return merged
	case e.kind == Only && (hit || mute):
		return muted
	case e.kind == Drop && hit:
		return dropped
	}
	return shown
}

// has reports whether a place is in the set of the edit.
func (e *editor) has(at lazy.Position) bool {
	_, ok := e.among.First(at.Thread, at.At, at.At+1)
	return ok
}
