package lazy

import (
	"context"
	"slices"
	"tracex/lazy/internal/walk"
)

// shownSoFar returns how many children of a node around places are shown, as far as they are counted:
// exact if that is all, more if counting would find more.
func (v *view) shownSoFar(n *Node) (count int64, exact, more bool) {
	c, e := v.shownOf(n), n.e.Load()
	return c.n, c.upto >= e.End && e.State != StatePending, c.upto < min(e.End, v.places.Known(n.thread))
}

// shownOf returns what has been counted of a node.
func (v *view) shownOf(n *Node) shownCount {
	c, ok := v.shown[placeOf(n)]
	if start := n.e.Load().Start; !ok || c.stamp != v.stamp || c.upto < start {
		c = shownCount{stamp: v.stamp, upto: start}
	}
	return c
}

// shownNear is how many children after the last place are looked at before the next one is looked up.
const shownNear = 16

// shownBatch is how many children are counted between two checks of the context.
const shownBatch = 1024

// CountIn counts the children of a node around places that are shown, as far as places are known.
// [Tree.Lines] tells how many there are from then on. If ctx ends, another call continues from where
// it stopped.
func (s Shown) CountIn(ctx context.Context, n *Node) error {
	t := s.t
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.mu.Lock()
		v := t.roots.view
		if !v.within(n) || n.forgotten() {
			t.mu.Unlock()
			return nil
		}
		c, e := v.shownOf(n), n.e.Load()
		upto := min(e.End, v.places.Known(n.thread))
		places := wanted{v.places, map[int32][]int64{n.thread: slices.Clone(v.too[n.thread])}}
		open := opened{from: upto, to: upto}
		if o := v.openedAt(n, c.upto, 1); o != nil && o.from < upto {
			open = *o
		}
		t.mu.Unlock()
		if c.upto >= upto {
			return nil
		}
		if err := t.countShown(ctx, n, &c, &places, open); err != nil {
			return err
		}
		t.mu.Lock()
		if t.roots.view == v && v.stamp == c.stamp {
			if v.shown == nil || len(v.shown) >= maxCounts {
				v.shown = make(map[Position]shownCount)
			}
			v.shown[placeOf(n)] = c
		}
		t.mu.Unlock()
	}
}

// countShown goes on with a count: up to a run that the user has opened, then over the run.
func (ld *loader) countShown(ctx context.Context, n *Node, c *shownCount, places *wanted, open opened) error {
	if c.upto >= open.from && c.upto < open.to {
		rows, err := ld.between(ctx, n, c.upto, open.to)
		if err == nil {
			c.n, c.upto = c.n+rows, open.to
		}
		return err
	}
	return ld.read(n, func(l *nodeReader) error {
		for range shownBatch {
			at, ok := places.first(n.thread, c.upto, open.from)
			if !ok {
				c.upto = open.from
				return nil
			}
			end, shown, err := l.endOfChild(ctx, at)
			if err != nil {
				return err
			}
			if c.upto = end; shown {
				c.n++
			}
			if c.upto >= open.from {
				return nil
			}
		}
		return nil
	})
}

// endOfChild returns an offset after the content of the child that an offset is in, and before
// the next child. shown reports whether there is a child: an edited tree may show none there.
func (l *nodeReader) endOfChild(ctx context.Context, at int64) (end int64, shown bool, err error) {
	if l.Edit != nil {
		return l.endOfEdited(ctx, at)
	}
	if child, ok := l.S.OpenChild(l.Start); ok && at >= child {
		return l.End, true, nil // it has no end
	}
	cells := l.S.Cells
	ord := cells.FirstEnding(at)
	if own := cells.FirstAround(ord, at); own < cells.Len() {
		if c := l.Outermost(own, l.Start); c.Start > l.Start {
			return c.End + 1, true, nil
		}
	}
	var e walk.NodeData
	ok, err := l.Next(at, ord, l.End, &e, false)
	if !ok || err != nil {
		return l.End, true, err
	}
	return e.Next, true, nil
}

// endOfEdited is endOfChild in an edited tree: a child may be in containers that are merged, and those
// have a child for each row in their place.
func (l *nodeReader) endOfEdited(ctx context.Context, at int64) (end int64, shown bool, err error) {
	on := l.Edit.Ended // the next place is often near
	var e walk.NodeData
	for steps := 0; ; steps++ {
		if on.In == nil || steps == shownNear {
			if on, err = l.Begin(ctx, at, 0); err != nil {
				return l.End, false, err
			}
		}
		c, err := l.Step(on, &e, false)
		if err != nil || !c.Ok {
			return l.End, false, err
		}
		if e.At > at {
			l.Ends(on)
			return e.At, false, nil
		}
		l.Ends(c.Next)
		if c.Shown && c.Next.Pos > at {
			return c.Next.Pos, true, nil
		}
		on = c.Next
	}
}
