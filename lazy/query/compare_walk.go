package query

import (
	"bytes"
	"context"

	"tracex/lazy"
)

// compareWalk walks over both sides in step.
type compareWalk struct {
	c     *Compare
	epoch int
	tell  lazy.Progress
	sides [2]*sequence
	done  int64 // bytes, of both sides twice
}

// open finds the two sides.
func (w *compareWalk) open(ctx context.Context) error {
	c, names := w.c, newSymbols(w.c.r)
	var found [2]comparedSide
	for i, h := range c.sides {
		scope, err := ScopeOf(ctx, c.r, c.scope.Raw, &h, c.scope.Steps(), nil)
		if err != nil {
			return err
		}
		s := newSequence(c.r, scope, names)
		s.chunk, s.share = c.chunk, c.share
		w.sides[i] = s
		if found[i], err = c.about(ctx, s); err != nil {
			return err
		}
	}
	a, b := w.sides[0], w.sides[1]
	shared := a.thread == b.thread && max(a.from, b.from) < min(a.to, b.to)
	c.set(func(f *comparison) { f.sides, f.shared = found, shared })
	return nil
}

// unchanged returns errAgain if the index turned out to be wrong.
func (w *compareWalk) unchanged() error {
	if w.c.r.Status().Epoch != w.epoch {
		return errAgain
	}
	return nil
}

// progress tells how much has been read.
func (w *compareWalk) progress(done int64) {
	if w.tell != nil {
		w.tell(done, 2*(w.sides[0].size+w.sides[1].size))
	}
}

// walk finds the first places where the sides differ.
func (w *compareWalk) walk(ctx context.Context) error {
	c, a, b := w.c, w.sides[0], w.sides[1]
	same, others := int64(0), int64(0)
	var own, value, event bool // found
	for !event {
		for _, s := range w.sides {
			fresh, err := s.fill(ctx)
			if err == nil && fresh {
				err = w.unchanged()
			}
			if err != nil {
				return err
			}
			if fresh {
				w.progress(a.read() + b.read())
				c.set(func(f *comparison) { f.same, f.others = same, others })
			}
		}
		x, y := a.now(), b.now()
		if x == nil && y == nil {
			break
		}
		event = x == nil || y == nil || !bytes.Equal(a.key(x), b.key(y))
		other := !event && !bytes.Equal(a.value(x), b.value(y))
		if other {
			others++
		}
		whole := other && x.at == a.from && y.at == b.from
		if event || whole && !own || other && !whole && !value {
			p, err := c.parting(ctx, w.sides, same)
			if err != nil {
				return err
			}
			c.set(func(f *comparison) {
				switch {
				case event:
					f.event = p
				case whole:
					f.own, own = p, true
				default:
					f.value, value = p, true
				}
			})
		}
		if !event {
			if x.how != markEnd {
				same++
			}
			a.next()
			b.next()
		}
	}
	w.done = a.size + b.size
	w.progress(w.done)
	c.set(func(f *comparison) { f.same, f.others, f.walked = same, others, true })
	return w.unchanged()
}
