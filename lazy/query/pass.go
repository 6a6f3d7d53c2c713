package query

import (
	"context"
	"sync"

	"tracex/format"
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

// decoded returns a point; nil if it is damaged, which ends the pass.
func decoded(p *lazy.PassPoint) *format.Point {
	point, err := p.Point()
	if err != nil {
		p.Fail(err)
		return nil
	}
	return point
}

// tookOf returns the time of what ends; a negative duration if it is not known.
func tookOf(p *lazy.PassPoint, timed bool) lazy.Time {
	if timed && p.State == lazy.StateWhole {
		if t, ok := p.Time(); ok {
			return t
		}
	}
	return lazy.Time{Duration: -1}
}

// wholePoint returns a point with its footer, nil if it has none.
func wholePoint(p *lazy.PassPoint) (point *format.Point, foot *format.Footer, err error) {
	if point, err = p.Point(); err == nil {
		foot, err = p.Footer()
	}
	return point, foot, err
}

// placeOf returns where a point is.
func placeOf(p *lazy.PassPoint) lazy.Position { return lazy.Position{Thread: p.Thread, At: p.At} }

// eventOf returns a point with its number.
func eventOf(p *lazy.PassPoint) HistoryPoint { return HistoryPoint{placeOf(p), p.Event} }

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

// busyShare is the [lazy.Pass.Share] of a pass whose visitors keep something of every point that
// matches: the parts that wait to be merged are kept too.
const busyShare = 512 << 10

// pool keeps what one goroutine after the other uses: what has been given back is given out again.
type pool[P any] struct {
	mu   sync.Mutex
	free []P
	make func() P // nil for the zero value
}

// renew forgets what is there.
func (l *pool[P]) renew(make func() P) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free, l.make = nil, make
}

func (l *pool[P]) get() P {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.free); n > 0 {
		p := l.free[n-1]
		l.free = l.free[:n-1]
		return p
	}
	if l.make == nil {
		var none P
		return none
	}
	return l.make()
}

func (l *pool[P]) put(p P) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, p)
}

// partPool keeps the visitors of parts that have been merged, for other parts.
type partPool[P interface{ clear() }] struct{ pool[P] }

func (l *partPool[P]) put(p P) {
	p.clear()
	l.pool.put(p)
}
