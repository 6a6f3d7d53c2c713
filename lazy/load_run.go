package lazy

import (
	"context"
	"slices"
)

// forward reads up to count children from the start of a gap.
func (l *nodeReader) forward(ctx context.Context, from, to, ord int64, count int) (*childRun, error) {
	at, err := l.begin(ctx, from, ord)
	if err != nil {
		return nil, err
	}
	s := l.newRun(at.pos, at.ord)
	for reads := 0; reads < slabReads && len(s.list) < count && at.pos < to; reads++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := l.child(at)
		if err != nil {
			return nil, err
		}
		at = c.next
		if !c.ok {
			break
		}
		if c.shown {
			s.list = append(s.list, c.data)
		}
	}
	s.to, s.toOrd = at.pos, at.ord
	l.ends(at)
	return s, nil
}

// around reads the children of a gap around a logical offset: up to back of
// those that end at or before it, the one that contains it, and up to ahead
// after that one. With x = to it reads the last ones.
func (l *nodeReader) around(ctx context.Context, from, to, ord, x int64, back, ahead int) (*childRun, error) {
	if l.edit != nil {
		return l.aroundEdited(ctx, from, to, x, back, ahead)
	}
	pos, at := l.seekBack(from, ord, x, back)
	if m, ok := checkpointBefore(l.checkpoints, x); ok && m.pos > pos && m.pos >= from {
		pos, at = m.pos, m.ord
	}
	first, passed, err := l.lastBefore(ctx, checkpoint{pos: pos, ord: at}, to, x, back)
	if err != nil {
		return nil, err
	}
	s := l.newRun(first.pos, first.ord)
	s.passed = passed
	for s.to < to && ahead >= 0 {
		c, err := l.child(checkpoint{pos: s.to, ord: s.toOrd})
		if err != nil {
			return nil, err
		}
		if s.to >= x {
			ahead--
		}
		s.to, s.toOrd = c.next.pos, c.next.ord
		if !c.ok {
			break
		}
		if c.shown {
			s.list = append(s.list, c.data)
		}
	}
	return s, nil
}

// lastBefore walks from a child to x and returns where the last back children that end
// at or before x begin, and checkpoints on the way.
func (l *nodeReader) lastBefore(ctx context.Context, m checkpoint, to, x int64, back int) (first checkpoint, passed []checkpoint, err error) {
	ring := make([]checkpoint, back+1) // where the children seen last begin, and the next
	ring[0] = m
	n := 0
	var e nodeData
	for ; m.pos < to; n++ {
		if n%checkpointEvery == 0 {
			if n > 0 {
				passed = append(passed, m)
			}
			if err := ctx.Err(); err != nil {
				return m, nil, err
			}
		}
		ok, err := l.next(m.pos, m.ord, l.end, &e, false)
		if err != nil {
			return m, nil, err
		}
		if !ok || e.next > x {
			break
		}
		m = checkpoint{pos: e.next, ord: e.after}
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
	s := l.newRun(begin.pos, begin.ord)
	for _, at := range found {
		c, err := l.child(at)
		if err != nil {
			return nil, err
		}
		if c.shown {
			s.list = append(s.list, c.data)
		}
	}
	for reads := 0; at.pos < to && ahead >= 0 && reads < slabReads; reads++ {
		if reads%checkpointEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c, err := l.child(at)
		if err != nil {
			return nil, err
		}
		if at.pos >= x && c.shown {
			ahead--
		}
		at = c.next
		if !c.ok {
			break
		}
		if c.shown {
			s.list = append(s.list, c.data)
		}
	}
	s.to, s.toOrd = at.pos, at.ord
	s.passed = inOrder(l.edit.whole)
	l.ends(at)
	return s, nil
}

// inOrder sorts checkpoints, each once.
func inOrder(list []checkpoint) []checkpoint {
	slices.SortFunc(list, func(a, b checkpoint) int { return int(sign(a.pos - b.pos)) })
	return slices.CompactFunc(list, func(a, b checkpoint) bool { return a.pos == b.pos })
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
func (l *nodeReader) some(ctx context.Context, from, x int64, back int) (found []checkpoint, begin, at checkpoint, err error) {
	if begin, err = l.begin(ctx, max(from, x), 0); err != nil || back == 0 || x <= from {
		return nil, begin, begin, err
	}
	reads, last := 0, begin
	for span, stop := int64(spanFirst), x; ; span *= 2 {
		first := max(from, stop-span)
		if begin, err = l.begin(ctx, first, 0); err != nil {
			return nil, begin, last, err
		}
		var e nodeData
		list := []checkpoint{}
		for on := begin; on.pos < stop; reads++ {
			if reads%checkpointEvery == 0 && ctx.Err() != nil {
				return nil, begin, last, ctx.Err()
			}
			c, err := l.step(on, &e, false)
			if err != nil {
				return nil, begin, last, err
			}
			if !c.ok || c.shown && c.next.pos > stop {
				break
			}
			if c.shown {
				list = append(list, c.at)
			}
			on = c.next
		}
		if found = append(list, found...); len(found) >= back {
			found = found[len(found)-back:]
			return found, found[0], last, nil
		}
		if begin.pos <= from || reads >= spanReads {
			return found, begin, last, nil
		}
		if first-begin.pos > span {
			span = spanFirst / 2 // there is a long child: what is before it may be short
		}
		stop = min(begin.pos, first)
	}
}
