package lazy

import (
	"context"
	"fmt"
	"math"
	"sort"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// CountChildren counts the children of n, continuing where it ended before, until there
// are atMost (0 for all), or to the end of what is known: exact reports whether n has
// no more. Node.Count returns the result, even if ctx ends the counting early.
func (ld *loader) CountChildren(ctx context.Context, n *Node, atMost int64) (count int64, exact bool, err error) {
	if atMost <= 0 {
		atMost = math.MaxInt64
	}
	for more := true; more && err == nil && count < atMost; {
		count, exact, more, err = ld.countSome(ctx, n, atMost)
	}
	return count, exact, err
}

// countSome continues counting to the next tally, atMost, or the end of what is known;
// in the last case more is false.
func (ld *loader) countSome(ctx context.Context, n *Node, atMost int64) (count int64, exact, more bool, err error) {
	at, exact := ld.lastTally(n)
	if exact {
		return at.rows, true, false, nil
	}
	if err := ctx.Err(); err != nil {
		return at.rows, false, true, err
	}
	reads := 0
	inside := false // at.pos is before the end of what is known
	var read walk.Instant
	err = ld.read(n, func(l *nodeReader) error {
		read = l.Moment
		on, err := l.Begin(ctx, at.pos, at.ord)
		if err != nil {
			return err
		}
		var e walk.NodeData
		for ; reads < walk.TallyEvery && at.rows < atMost && !exact; reads++ {
			c, err := l.Over(&e, on)
			if err != nil {
				return err
			}
			if c.Shown {
				at.rows++
			}
			if c.Ok && !c.Entered {
				if err := at.time.add(ctx, l, &e, &c); err != nil {
					return err
				}
			}
			switch {
			case c.Dropped:
				at.dropped++
			case c.Left:
				at.merged++
			}
			on, exact = c.Next, !c.Ok
		}
		at.pos, at.ord = on.Pos, on.Ord
		l.Ends(on)
		inside = at.pos < l.End
		exact = exact || !inside
		return nil
	})
	if err != nil {
		return at.rows, false, true, err
	}
	ld.mu.Lock()
	defer ld.mu.Unlock()
	k := n.kids
	if read != ld.now || len(k.tallies) == 0 {
		return at.rows, false, true, nil // the tree has grown meanwhile, or started over
	}
	exact = exact && n.e.Load().State != StatePending
	if at.rows > k.counted || exact {
		k.counted, k.exact, k.time, k.dropped, k.merged = at.rows, exact, at.time, at.dropped, at.merged
	}
	if inside && reads == walk.TallyEvery && at.pos > k.tallies[len(k.tallies)-1].pos {
		k.tallies = append(k.tallies, at)
	}
	return at.rows, exact, inside, nil
}

// lastTally returns the last tally of n, creating one if necessary, and whether n
// has been counted to its end.
func (ld *loader) lastTally(n *Node) (childTally, bool) {
	ld.mu.Lock()
	defer ld.mu.Unlock()
	if n.kids == nil {
		n.kids = new(kids)
	}
	k := n.kids
	switch again := timesArrived(n); {
	case len(k.tallies) == 0:
		k.tallies, k.timesSize = append(k.tallies, firstTally(n)), ld.r.TimesSize()
	case again:
		k.tallies, k.timesSize, k.exact = k.tallies[:1], ld.r.TimesSize(), false
	}
	at := k.tallies[len(k.tallies)-1]
	if k.exact {
		at.rows = k.counted
	}
	return at, k.exact
}

// firstTally returns the tally at the start of n's children.
func firstTally(n *Node) childTally {
	e := n.e.Load()
	return childTally{pos: e.Start, ord: e.First}
}

// Children returns all children of n.
func (ld *loader) Children(ctx context.Context, n *Node) ([]*Node, error) {
	return ld.Range(ctx, n, 0, math.MaxInt64)
}

// Range returns up to count children of n, beginning with number from. It returns fewer
// if the node has no more.
func (ld *loader) Range(ctx context.Context, n *Node, from, count int64) ([]*Node, error) {
	if from < 0 || count <= 0 {
		return nil, nil
	}
	at, err := ld.seek(ctx, n, from)
	if err != nil {
		return nil, err
	}
	var nodes []*Node
	for more := true; more && int64(len(nodes)) < count; {
		var s *childRun
		err := ld.read(n, func(l *nodeReader) error {
			var err error
			want := min(count-int64(len(nodes)), slabNodes)
			s, err = l.forward(ctx, at.pos, l.End, at.ord, int(want))
			more = err == nil && s.to < l.End
			return err
		})
		if err != nil {
			return nodes, err
		}
		ld.mu.Lock()
		if s.read.Epoch != ld.now.Epoch {
			ld.mu.Unlock()
			return nodes, trace.ErrStale
		}
		had := s.to
		nodes = append(nodes, ld.memory.attach(n, s, ld.now)...)
		ld.mu.Unlock()
		more = more || s.to < had // a last child that has grown meanwhile
		at = childTally{pos: s.to, ord: s.toOrd}
	}
	return nodes, nil
}

// seek returns the tally of the child with a number, counting up to it if necessary:
// the end of the content, if there are fewer.
func (ld *loader) seek(ctx context.Context, n *Node, number int64) (childTally, error) {
	if _, _, err := ld.CountChildren(ctx, n, number+1); err != nil {
		return childTally{}, err
	}
	ld.mu.Lock()
	var at childTally
	if i := sort.Search(len(n.kids.tallies), func(i int) bool { return n.kids.tallies[i].rows >= number }); i > 0 {
		at = n.kids.tallies[i-1]
	} else {
		at = firstTally(n)
	}
	ld.mu.Unlock()
	err := ld.read(n, func(l *nodeReader) error {
		// Children before it that fold to nothing belong to it: otherwise they would be left
		// as a gap.
		m, err := l.Begin(ctx, at.pos, at.ord)
		if err != nil {
			return err
		}
		for m.Pos < l.End && at.rows < number {
			c, err := l.Skip(m)
			if err != nil || !c.Ok {
				at.pos = l.End
				return err
			}
			m = c.Next
			if c.Shown {
				at.rows++
				at.pos, at.ord = m.Pos, m.Ord
			}
		}
		if at.rows < number {
			at.pos = l.End
		}
		return nil
	})
	return at, err
}

// Child returns the i-th child of n, from 0.
func (ld *loader) Child(ctx context.Context, n *Node, i int64) (*Node, error) {
	list, err := ld.Range(ctx, n, i, 1)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no child %d", i)
	}
	return list[0], nil
}
