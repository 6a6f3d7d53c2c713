package lazy

import (
	"context"
	"slices"
	"sort"

	"tracex/format"
)

// before returns the last checkpoint of the children of an edited node at or before an offset in its
// content. It goes down from container to container as far as they are merged.
func (l *childReader) before(ctx context.Context, x int64) (checkpoint, error) {
	in := l.edit.node
	for _, w := range l.edit.ways {
		if s := w.in; s.depth > in.depth {
			for !s.holds(x) {
				s = s.outer
			}
			if s.depth > in.depth {
				in = s
			}
		}
	}
	given, start := l.chain, l.start
	defer func() { l.chain, l.start = given, start }()
	if given == nil {
		l.chain = l.enclosedBy(in.start, x)
	} else if l.target != x {
		l.chain = l.enclosedLike(given, x)
	}
	for depth := 1; ; depth++ {
		if depth%checkpointEvery == 0 && ctx.Err() != nil {
			return checkpoint{}, ctx.Err()
		}
		at, e, err := l.level(ctx, in, x)
		if e == nil || err != nil {
			return at, err
		}
		// e is around x.
		c, err := l.step(at, e, true)
		s := c.next.in
		switch {
		case err != nil || s == in || x < c.next.pos:
			return at, err
		case x >= s.end:
			return checkpoint{pos: s.end, ord: s.after, in: s}, nil
		}
		in = s
	}
}

// enclosedBy returns the containers around an offset, outermost first, of those that begin at an
// offset or later.
func (l *childReader) enclosedBy(from, at int64) []format.Cell {
	cells := l.s.Cells
	chain := []format.Cell{}
	for own := cells.FirstAround(cells.FirstEnding(at), at); own < cells.Len(); {
		c := cells.At(own)
		if c.Start <= from {
			break
		}
		chain = append(chain, c)
		own = cells.FirstAround(own+1, c.Start-1)
	}
	slices.Reverse(chain)
	return chain
}

// enclosedLike returns the containers around an offset, with those around another: near each other, they have
// most in common.
func (l *childReader) enclosedLike(given []format.Cell, at int64) []format.Cell {
	n := sort.Search(len(given), func(i int) bool { return given[i].Start > at || given[i].End < at })
	from := int64(-1)
	if n > 0 {
		from = given[n-1].Start
	}
	if more := l.enclosedBy(from, at); len(more) > 0 {
		return append(given[:n:n], more...)
	}
	return given[:n:n]
}

// level walks over the children of one container, as recorded, and returns the checkpoint of the last
// at or before an offset. e is that child if the offset is within it; nil if not.
func (l *childReader) level(ctx context.Context, in *splice, x int64) (at checkpoint, e *nodeData, err error) {
	l.start = in.start
	at.in = in
	at.pos, at.ord = l.seekBack(in.start, in.first, x, 1)
	if m, ok := checkpointBefore(l.checkpoints, x); ok && m.pos > at.pos && m.of == in.at {
		at.pos, at.ord = m.pos, m.ord
	}
	e = new(nodeData)
	for n := 1; ; n++ {
		ok, err := l.next(at.pos, at.ord, in.end, e, false)
		if err != nil {
			return at, nil, err
		}
		if !ok || e.at >= x {
			return at, nil, nil
		}
		if e.next > x {
			return at, e, nil
		}
		at.pos, at.ord = e.next, e.after
		if n%checkpointEvery == 0 {
			l.edit.whole = append(l.edit.whole, checkpoint{pos: at.pos, ord: at.ord, of: in.at})
			if err := ctx.Err(); err != nil {
				return at, nil, err
			}
		}
	}
}

// aroundEdited is around for an edited node: only children that are shown count. It may find fewer if few are.
func (l *childReader) aroundEdited(ctx context.Context, from, to, x int64, back, ahead int) (*childRun, error) {
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
func (l *childReader) some(ctx context.Context, from, x int64, back int) (found []checkpoint, begin, at checkpoint, err error) {
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
