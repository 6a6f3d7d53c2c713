package lazy

import (
	"context"
	"tracex/lazy/internal/walk"
)

// Load loads a slab of a gap, from one of its ends. If the gap has changed since, it
// loads part of what remains; if nothing remains, it does nothing.
func (t *Tree) Load(ctx context.Context, gap Row, end End) error {
	if gap.Node != nil || gap.Parent == nil {
		return nil
	}
	if gap.ranked() {
		return t.sorter.loadGap(ctx, gap, end)
	}
	pos := gap.From
	if end == AtEnd {
		pos = gap.To - 1
	}
	t.mu.Lock()
	aim := t.roots.view.aim(gap, end)
	if aim != nil {
		pos = aim.at
	}
	from, to, ord, ok := gap.Parent.gap(pos)
	if s := gap.Parent.sorting(); s != nil && from < s.limit {
		from, ord = s.limit, s.ord
		ok = ok && from < to
	}
	t.mu.Unlock()
	if !ok {
		return nil
	}
	if t.edits != nil && aim == nil {
		if from, to = t.pass(ctx, gap.Parent, from, to, end); from >= to {
			return ctx.Err()
		}
	}
	var s *childRun
	err := t.read(gap.Parent, func(l *nodeReader) error {
		var err error
		if aim != nil {
			s, err = l.sift(ctx, from, to, ord, aim)
		} else if end == AtStart {
			s, err = l.forward(ctx, from, to, ord, slabNodes)
		} else {
			s, err = l.around(ctx, from, to, ord, to, slabNodes, 0)
		}
		return err
	})
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.memory.attach(gap.Parent, s, t.now)
	return nil
}

// LeftOut reports whether the edits are why the tree does not show what is at a position;
// n is the node that [Tree.Reveal] returned for it.
func (ld *loader) LeftOut(ctx context.Context, n *Node, p Position) (left bool) {
	e := n.e.Load()
	if ld.edits == nil || p.At < 0 || p.At < e.Start || p.At >= e.End {
		return false
	}
	ld.read(n, func(l *nodeReader) error { // without the data nothing can be told
		at, err := l.Before(ctx, p.At)
		if err != nil {
			return err
		}
		if in := at.In; in.Outer != nil && p.At >= in.End {
			left = true // its footer
			return nil
		}
		var c walk.NodeData
		read, err := l.Step(at, &c, false)
		left = err == nil && read.Left && c.At <= p.At
		return err
	})
	return left
}

// bare reports whether what is from somewhere in s up to an offset is in a splice that shows no leaf,
// and in others of these in it.
func bare(s *walk.Splice, to int64) bool {
	for ; s.Outer != nil && s.Leaves == LeavesNone; s = s.Outer {
		if to <= s.End {
			return true
		}
	}
	return false
}

// pass shortens a gap of an edited node, at one end, by what has no rows: an empty slab takes its
// place.
func (ld *loader) pass(ctx context.Context, n *Node, from, to int64, end End) (int64, int64) {
	size := ld.leap
	if to-from <= size {
		return from, to
	}
	lo, hi := from, to
	var m walk.Instant
	for size >= ld.leap && lo < hi && ctx.Err() == nil {
		part := PassRange{Thread: n.thread, From: lo, To: min(lo+size, hi)}
		if end == AtEnd {
			part.From, part.To = max(lo, hi-size), hi
		}
		var in *walk.Splice // at the beginning of the part; nil if it need not be asked
		err := ld.read(n, func(l *nodeReader) error {
			m = l.Moment
			at, err := l.Begin(ctx, part.From, 0)
			if err != nil {
				return err
			}
			if end == AtStart {
				in = at.In
				return nil
			}
			var e walk.NodeData
			c, err := l.Step(at, &e, false)
			if err == nil && !c.Shown { // otherwise the part may be in it
				in = at.In
			}
			return err
		})
		switch {
		case err != nil:
			return from, to // the load will tell
		case in == nil || !ld.edits.Barren(in.State, part, bare(in, part.To)):
			size /= 4
			continue
		case end == AtStart:
			lo = part.To
		default:
			hi = part.From
		}
		size *= 2
	}
	if lo == from && hi == to {
		return from, to
	}
	empty := &childRun{from: from, to: lo, read: m}
	if end == AtEnd {
		empty.from, empty.to = hi, to
	}
	ld.mu.Lock()
	defer ld.mu.Unlock()
	ld.memory.attach(n, empty, ld.now)
	return lo, hi
}
