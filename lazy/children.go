package lazy

import (
	"context"
	"tracex/format"
	"tracex/lazy/internal/fold"
)

// childReader reads children of one node. It must be used within use.
type childReader struct {
	*walker
	folded      bool
	inline      bool                    // see Inline
	start       int64                   // of the node's content
	end         int64                   // end of the node's content
	moment      moment                  // the view that it reads
	checkpoints []checkpoint            // checkpoints of the node
	lender      *dataPool               // of data for folding; nil to allocate them
	folder      *fold.Folder[*nodeData] // nil until the first point is folded
	begins      format.Point            // the first child of a call being folded
	chain       []format.Cell           // containers around the target offset, outermost first; nil if not known
	target      int64
	edit        *editing // of an edited tree; nil for others
}

// newRun returns an empty run of the node's children.
func (l *childReader) newRun(pos, ord int64) *childRun {
	return &childRun{from: pos, to: pos, fromOrd: ord, toOrd: ord, read: l.moment}
}

// childRead is the result of reading or skipping a child.
type childRead struct {
	ok    bool       // there is a child
	shown bool       // it does not fold to nothing
	data  *nodeData  // as it is shown; nil if it is not shown, or was skipped and is as recorded
	next  checkpoint // where the next child begins; the end of the content if there is no child

	// In an edited tree:
	at      checkpoint // of the child
	entered bool       // it is merged: next is in it; or there was none where it was read
	left    bool       // it is left out
	dropped bool       // it is left out with all in it
}

// child reads the child at a checkpoint.
func (l *childReader) child(at checkpoint) (c childRead, err error) {
	e := new(nodeData)
	if l.edit != nil {
		return l.step(at, e, true)
	}
	if c.ok, err = l.next(at.pos, at.ord, l.end, e, true); !c.ok || err != nil {
		return childRead{next: checkpoint{pos: l.end, ord: at.ord}}, err
	}
	c.next = checkpoint{pos: e.next, ord: e.after}
	if l.folded {
		if e, err = l.fold(e); err == nil && e != nil && l.inline {
			e = l.inlined(e)
		}
	}
	c.data, c.shown = e, e != nil
	return c, err
}

// forward reads up to count children from the start of a gap.
func (l *childReader) forward(ctx context.Context, from, to, ord int64, count int) (*childRun, error) {
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
func (l *childReader) around(ctx context.Context, from, to, ord, x int64, back, ahead int) (*childRun, error) {
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
func (l *childReader) lastBefore(ctx context.Context, m checkpoint, to, x int64, back int) (first checkpoint, passed []checkpoint, err error) {
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

// skip skips the next child without making a node.
func (l *childReader) skip(at checkpoint) (childRead, error) {
	var e nodeData
	return l.over(&e, at)
}

// over is skip, and reads the child into e, as recorded.
func (l *childReader) over(e *nodeData, at checkpoint) (childRead, error) {
	if l.edit != nil {
		return l.step(at, e, false)
	}
	ok, err := l.next(at.pos, at.ord, l.end, e, false)
	if !ok || err != nil {
		return childRead{next: checkpoint{pos: l.end, ord: at.ord}}, err
	}
	if l.folded && l.mayFold(e) {
		return l.child(at)
	}
	return childRead{ok: true, shown: true, next: checkpoint{pos: e.next, ord: e.after}}, nil
}
