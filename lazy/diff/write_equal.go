package diff

import (
	"context"
	"fmt"

	"tracex/format"
)

// equalFull writes equal siblings with everything in them: the points of B, which both traces have.
func (w *writer) equalFull(ctx context.Context, s step) error {
	if s.quiet { // what is in them may differ
		return w.almostEqual(ctx, s)
	}
	a, b := &w.feeds[0], &w.feeds[1]
	a.start(w.a, s.a)
	b.start(w.b, s.b)
	a.heads, b.heads = true, false
	var open []openPoint
	for left := s.n; left > 0; {
		if err := w.check(ctx); err != nil {
			return err
		}
		err := holdSources(w.a, w.b, func() (err error) {
			defer a.release()
			defer b.release()
			for n := 0; n < holdFor && left > 0 && err == nil; n++ {
				if open, err = w.equalObject(a, b, open); len(open) == 0 {
					left--
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// almostEqual writes one of two siblings in which differences do not count: that of B.
func (w *writer) almostEqual(ctx context.Context, s step) error {
	var o origin
	if err := holdSources(w.a, w.b, func() error {
		err := w.a.node(s.a, w.ends()[0], &w.nodes[0])
		o = w.from(&w.nodes[0], nil)
		return err
	}); err != nil {
		return err
	}
	return w.copy(ctx, w.b, s.b, s.n, format.DiffUnchanged, &o)
}

// equalObject writes the next object of two feeds.
func (w *writer) equalObject(a, b *feed, open []openPoint) ([]openPoint, error) {
	if err := a.next(); err != nil {
		return open, err
	}
	if err := b.next(); err != nil {
		return open, err
	}
	if a.closed != b.closed || a.point.Class != b.point.Class {
		return open, w.b.w.Contradiction(b.at, fmt.Sprintf("event %d, which is equal to event %d of the other trace, but has other points in it",
			b.point.Event, a.point.Event))
	}
	if !b.closed {
		o := none
		o.set(w.a, a.point.Event, a.at, -1)
		o.set(w.b, b.point.Event, b.at, -1)
		event, content, err := w.put(w.b, &b.point, format.DiffUnchanged, 0, o)
		if b.point.Class.Container() {
			open = append(open, openPoint{content: content, event: event})
		}
		return open, err
	}
	o := open[len(open)-1]
	if w.pairs != nil {
		w.pairs.took(o.event, 0, a.took())
		w.pairs.took(o.event, 1, b.took())
	}
	return open[:len(open)-1], w.close(w.b, &b.footer, b.point.Class, o.event, o.content)
}
