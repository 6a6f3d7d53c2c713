package query

import (
	"context"

	"tracex/lazy"
)

// look reads a point at a place for [readAt]. One goroutine uses it.
type look[T any] struct {
	// begin, if not nil, begins a part of a thread.
	begin func(thread int32)
	// around, if not nil, gets the containers around the point before it, outermost first.
	around func(p *lazy.PassPoint) error
	// at returns what is wanted of the point; ok is false if that is nothing.
	at func(p *lazy.PassPoint) (found T, ok bool, err error)
}

// readAt reads the points at places, in the order of these. What a scope does not show is missing in the result.
func readAt[T any](ctx context.Context, r *lazy.LazyTraceReader, s *Scope, at []lazy.Position, make func() look[T]) ([]T, error) {
	return readIn(ctx, r, s, pointRanges(at), make)
}

// readIn is readAt for all points in parts of threads.
func readIn[T any](ctx context.Context, r *lazy.LazyTraceReader, s *Scope, ranges []lazy.PassRange, make func() look[T]) ([]T, error) {
	if len(ranges) == 0 {
		return nil, nil
	}
	c := &lookCollector[T]{make: make}
	err := r.Pass(ctx, lazy.Pass{Raw: s.Raw, Ranges: ranges, Collect: s.Over(c).Collect})
	return c.found, err
}

// readOne is readAt for one place, from the first point found; ok is false if there is none.
func readOne[T any](ctx context.Context, r *lazy.LazyTraceReader, s *Scope, at lazy.Position, take func(*lazy.PassPoint) (T, bool, error)) (found T, ok bool, err error) {
	list, err := readAt(ctx, r, s, []lazy.Position{at}, func() look[T] { return look[T]{at: take} })
	if err != nil || len(list) == 0 {
		return found, false, err
	}
	return list[0], true, nil
}

// pointRanges returns the parts of threads that have nothing but the points at places.
func pointRanges(at []lazy.Position) []lazy.PassRange {
	list := make([]lazy.PassRange, len(at))
	for i, at := range at {
		list[i] = lazy.PassRange{Thread: at.Thread, From: at.At, To: at.At + 1}
	}
	return list
}

// lookCollector is the collector of readIn.
type lookCollector[T any] struct {
	make  func() look[T]
	found []T
}

func (c *lookCollector[T]) Reset() { c.found = nil }

func (c *lookCollector[T]) Visitor() lazy.Visitor {
	v := &lookVisitor[T]{look: c.make()}
	if v.around != nil {
		return aroundVisitor[T]{v}
	}
	return v
}

func (c *lookCollector[T]) Merge(v lazy.Visitor) error {
	c.found = append(c.found, v.(interface{ all() []T }).all()...)
	return nil
}

// lookVisitor is its visitor.
type lookVisitor[T any] struct {
	look[T]
	found []T
}

func (v *lookVisitor[T]) all() []T { return v.found }

func (v *lookVisitor[T]) Begin(thread int32, _ []lazy.PassFrame) {
	if v.begin != nil {
		v.begin(thread)
	}
}

func (v *lookVisitor[T]) Enter(p *lazy.PassPoint) {
	found, ok, err := v.at(p)
	switch {
	case err != nil:
		p.Fail(err)
	case ok:
		v.found = append(v.found, found)
	}
}

func (v *lookVisitor[T]) Leaf(p *lazy.PassPoint) { v.Enter(p) }
func (v *lookVisitor[T]) Exit(*lazy.PassPoint)   {}

// aroundVisitor is a lookVisitor that reads the containers around points too.
type aroundVisitor[T any] struct{ *lookVisitor[T] }

func (v aroundVisitor[T]) Around(p *lazy.PassPoint) {
	if err := v.around(p); err != nil {
		p.Fail(err)
	}
}

// learning returns a look at points with a matcher that has no in(…): it learns which containers are around them.
func learning[T any](m *matcher, at func(*lazy.PassPoint) (T, bool, error)) look[T] {
	return look[T]{
		begin:  func(int32) { m.begin() },
		around: func(p *lazy.PassPoint) error { m.enter(p); return nil },
		at:     at,
	}
}
