package lazy

import (
	"context"
	"slices"
	"tracex/lazy/internal/walk"
)

// forward reads up to count children from the start of a gap.
func (l *nodeReader) forward(ctx context.Context, from, to, ord int64, count int) (*childRun, error) {
	at, err := l.Begin(ctx, from, ord)
	if err != nil {
		return nil, err
	}
	s := l.newRun(at.Pos, at.Ord)
	for reads := 0; reads < slabReads && len(s.list) < count && at.Pos < to; reads++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := l.Child(at)
		if err != nil {
			return nil, err
		}
		at = c.Next
		if !c.Ok {
			break
		}
		if c.Shown {
			s.list = append(s.list, c.Data)
		}
	}
	s.to, s.toOrd = at.Pos, at.Ord
	l.Ends(at)
	return s, nil
}

// around reads the children of a gap around a logical offset: up to back of
// those that end at or before it, the one that contains it, and up to ahead
// after that one. With x = to it reads the last ones.
func (l *nodeReader) around(ctx context.Context, from, to, ord, x int64, back, ahead int) (*childRun, error) {
	if l.Edit != nil {
		return l.aroundEdited(ctx, from, to, x, back, ahead)
	}
	pos, at := l.SeekBack(from, ord, x, back)
	if m, ok := walk.CheckpointBefore(l.Checkpoints, x); ok && m.Pos > pos && m.Pos >= from {
		pos, at = m.Pos, m.Ord
	}
	first, passed, err := l.lastBefore(ctx, walk.Checkpoint{Pos: pos, Ord: at}, to, x, back)
	if err != nil {
		return nil, err
	}
	s := l.newRun(first.Pos, first.Ord)
	s.passed = passed
	for s.to < to && ahead >= 0 {
		c, err := l.Child(walk.Checkpoint{Pos: s.to, Ord: s.toOrd})
		if err != nil {
			return nil, err
		}
		if s.to >= x {
			ahead--
		}
		s.to, s.toOrd = c.Next.Pos, c.Next.Ord
		if !c.Ok {
			break
		}
		if c.Shown {
			s.list = append(s.list, c.Data)
		}
	}
	return s, nil
}

// lastBefore walks from a child to x and returns where the last back children that end
// at or before x begin, and checkpoints on the way.
func (l *nodeReader) lastBefore(ctx context.Context, m walk.Checkpoint, to, x int64, back int) (first walk.Checkpoint, passed []walk.Checkpoint, err error) {
	ring := make([]walk.Checkpoint, back+1) // where the children seen last begin, and the next
	ring[0] = m
	n := 0
	var e walk.NodeData
	for ; m.Pos < to; n++ {
		if n%walk.CheckpointEvery == 0 {
			if n > 0 {
				passed = append(passed, m)
			}
			if err := ctx.Err(); err != nil {
				return m, nil, err
			}
		}
		ok, err := l.Next(m.Pos, m.Ord, l.End, &e, false)
		if err != nil {
			return m, nil, err
		}
		if !ok || e.Next > x {
			break
		}
		m = walk.Checkpoint{Pos: e.Next, Ord: e.After}
		ring[(n+1)%len(ring)] = m
	}
	return ring[max(0, n-back)%len(ring)], passed, nil
}

// aroundEdited is around for an edited node: only children that are shown count. It may find fewer if few are.
func (l *nodeReader) aroundEdited(ctx context.Context, from, to, x int64, back, ahead int) (*childRun, error) {
	found, begin, at, err := l.some(ctx, from, x, back)
	if err != nil {
		return nil, err
	}
	s := l.newRun(begin.Pos, begin.Ord)
	for _, at := range found {
		c, err := l.Child(at)
		if err != nil {
			return nil, err
		}
		if c.Shown {
			s.list = append(s.list, c.Data)
		}
	}
	for reads := 0; at.Pos < to && ahead >= 0 && reads < slabReads; reads++ {
		if reads%walk.CheckpointEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c, err := l.Child(at)
		if err != nil {
			return nil, err
		}
		if at.Pos >= x && c.Shown {
			ahead--
		}
		at = c.Next
		if !c.Ok {
			break
		}
		if c.Shown {
			s.list = append(s.list, c.Data)
		}
	}
	s.to, s.toOrd = at.Pos, at.Ord
	s.passed = inOrder(l.Edit.Whole)
	l.Ends(at)
	return s, nil
}

// inOrder sorts checkpoints, each once.
func inOrder(list []walk.Checkpoint) []walk.Checkpoint {
	slices.SortFunc(list, func(a, b walk.Checkpoint) int { return int(sign(a.Pos - b.Pos)) })
	return slices.CompactFunc(list, func(a, b walk.Checkpoint) bool { return a.Pos == b.Pos })
}

// spanFirst is how many bytes before an offset are looked at first, and spanReads about how many
// children are read to find those before it.
const (
	spanFirst = 4 << 10
	spanReads = 8 * slabReads
)

// some returns up to back children that are shown and end at or before x, from an offset on, in order.
// begin is where it has looked from, or the first of them; at is where those after x begin.
//
// It looks at longer and longer spans of the trace, last first, until it has seen enough. A span
// that ends in a child that is shown, or dropped, is as long as that. So it reads a few times as many
// children as it has to.
func (l *nodeReader) some(ctx context.Context, from, x int64, back int) (found []walk.Checkpoint, begin, at walk.Checkpoint, err error) {
	if begin, err = l.Begin(ctx, max(from, x), 0); err != nil || back == 0 || x <= from {
		return nil, begin, begin, err
	}
	reads, last := 0, begin
	for span, stop := int64(spanFirst), x; ; span *= 2 {
		first := max(from, stop-span)
		if begin, err = l.Begin(ctx, first, 0); err != nil {
			return nil, begin, last, err
		}
		var e walk.NodeData
		list := []walk.Checkpoint{}
		for on := begin; on.Pos < stop; reads++ {
			if reads%walk.CheckpointEvery == 0 && ctx.Err() != nil {
				return nil, begin, last, ctx.Err()
			}
			c, err := l.Step(on, &e, false)
			if err != nil {
				return nil, begin, last, err
			}
			if !c.Ok || c.Shown && c.Next.Pos > stop {
				break
			}
			if c.Shown {
				list = append(list, c.At)
			}
			on = c.Next
		}
		if found = append(list, found...); len(found) >= back {
			found = found[len(found)-back:]
			return found, found[0], last, nil
		}
		if begin.Pos <= from || reads >= spanReads {
			return found, begin, last, nil
		}
		if first-begin.Pos > span {
			span = spanFirst / 2 // there is a long child: what is before it may be short
		}
		stop = min(begin.Pos, first)
	}
}
