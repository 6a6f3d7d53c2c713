package diff

import (
	"context"
	"errors"
	"fmt"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/walk"
)

// hash makes the hashes of both sides: of all, or of the parts that are compared. A trace that is compared with itself is read
// once.
func (d *Diff) hash(ctx context.Context, tell lazy.Progress) error {
	d.sides = [2]*side{newSide(d.readers[0]), newSide(d.readers[1])}
	if d.readers[0] == d.readers[1] {
		d.sides[1].known = d.sides[0].known
	}
	ranges, err := d.ranges(ctx)
	if err != nil {
		return err
	}
	var total, before int64
	for i, r := range d.readers {
		total += size(r, ranges[i])
	}
	for i, r := range d.readers {
		if i == 1 && r == d.readers[0] && ranges[0] == nil {
			d.sides[1] = d.sides[0]
			break
		}
		s := d.sides[i]
		o := hashOptions{on: s.known, ranges: ranges[i], identity: d.options.Identity}
		if s.h, err = hashTrace(ctx, s.r, o, func(done, _ int64) { tell(before+done, total) }); err != nil {
			return err
		}
		before += size(r, ranges[i])
	}
	return nil
}

// size returns how many bytes of a trace are read.
func size(r *lazy.LazyTraceReader, ranges []lazy.PassRange) (n int64) {
	if ranges == nil {
		n, _ = r.Size()
	}
	for _, g := range ranges {
		if t, _ := r.ThreadInfo(g.Thread); g.To < 0 {
			g.To = t.Bytes
		}
		n += g.To - g.From
	}
	return n
}

// errHalf: one part of a trace is compared with all of another.
var errHalf = errors.New("a part is compared with a part: name a call of each side")

// ranges returns the parts of the two traces that are compared; nil for all.
func (d *Diff) ranges(ctx context.Context) (list [2][]lazy.PassRange, err error) {
	if (d.options.A == nil) != (d.options.B == nil) {
		return list, errHalf
	}
	for i, h := range [...]*lazy.Handle{d.options.A, d.options.B} {
		if h == nil {
			break
		}
		at, _, err := d.readers[i].Find(ctx, *h)
		if err != nil {
			return list, err
		}
		g, err := d.readers[i].Extent(at)
		if err != nil {
			return list, err
		}
		list[i] = []lazy.PassRange{g}
	}
	return list, nil
}

// pairs are the threads that are compared, or the parts.
func (d *Diff) pairs(ctx context.Context) ([]threadPair, error) {
	if d.options.A != nil {
		return d.parts(ctx)
	}
	m := matcher{sketch: func(side int, id int32) sketch { return d.sides[side].h.sketch(id) }}
	var calls [2]int64
	for i, s := range d.sides {
		m.addAll(i, s.r, s.known.View, func(t *thread) {
			h, _ := s.h.thread(t.id)
			t.v, t.s, t.empty = h.v, h.s, h.roots == 0
			calls[i] += h.calls
		})
	}
	d.count(func(c *Counts) { c.Calls = calls })
	pairs := m.match()
	d.count(func(c *Counts) {
		for _, p := range pairs {
			if p.b < 0 {
				c.Threads[0]++
			}
			if p.a < 0 {
				c.Threads[1]++
			}
		}
	})
	return pairs, nil
}

// parts is the pair of the parts that are compared.
func (d *Diff) parts(ctx context.Context) ([]threadPair, error) {
	p := threadPair{}
	for i, h := range [...]*lazy.Handle{d.options.A, d.options.B} {
		at, _, err := d.readers[i].Find(ctx, *h)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			p.a = at.Thread
		} else {
			p.b = at.Thread
		}
		if at.At < 0 {
			all, _ := d.sides[i].h.thread(at.Thread)
			d.count(func(c *Counts) { c.Calls[i] = all.calls })
			continue
		}
		in := &d.sides[i].in
		if *in, err = d.part(i, at, h); err != nil {
			return nil, err
		}
		d.count(func(c *Counts) { c.Calls[i] = in.calls })
	}
	return []threadPair{p}, nil
}

// part returns the stretch of a thread that a container takes.
func (d *Diff) part(on int, at lazy.Position, h *lazy.Handle) (partOf, error) {
	l, err := newLane(d.sides[on], at.Thread)
	if err != nil {
		return partOf{}, err
	}
	var in partOf
	err = l.r.Use(func() error {
		e := &l.data
		in.first = l.w.S.Cells.FirstEnding(at.At)
		ok, err := l.w.Next(at.At, in.first, l.w.S.Size, e, false)
		switch {
		case err != nil:
			return err
		case !ok || !e.Container():
			return fmt.Errorf("%s is no call, loop or iteration: nothing is below it", h)
		}
		in.start, in.end, in.given, in.class = at.At, e.Next, true, e.Point.Class
		if e.State != walk.StateWhole {
			in.end = l.w.S.Size
		}
		in.calls = int64(l.h.node(at.Thread, e, sign{}).calls)
		return nil
	})
	return in, err
}

// partOf is a part of a thread that is compared.
type partOf struct {
	content
	given bool // not the whole thread, but a container
	class format.Class
	calls int64
}

// contentOf returns what of a thread is compared.
func (s *side) contentOf(l *lane) content {
	if s.in.given {
		return s.in.content
	}
	return l.all()
}
