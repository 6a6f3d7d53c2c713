package lazy

import (
	"context"
	"errors"
	"tracex/lazy/internal/walk"
)

// siftAfter is how many children without a place are read after one with a place before a load ends:
// more places may follow closely.
const siftAfter = 8

// aim is what to load of a gap in a node that is shown in part.
type aim struct {
	at     int64 // a place, or where a run begins that the user has opened
	back   int   // how many children to load before that
	wanted func(*walk.NodeData) bool
}

// aim returns what to load of a gap, from one end; nil to load what is at that end.
func (v *view) aim(gap Row, end End) *aim {
	n := gap.Parent
	if !v.within(n) {
		return nil
	}
	if o := v.openedAt(n, gap.From, 1); o != nil && o.from <= gap.From {
		return nil
	}
	if end == AtStart {
		if at, ok := v.first(n.thread, gap.From, gap.To); ok {
			return &aim{at: at, back: 1, wanted: v.only(n)}
		}
		return nil
	}
	if at, ok := v.last(n.thread, gap.From, gap.To); ok {
		a := &aim{at: at, back: 1, wanted: v.only(n)}
		if _, close := v.last(n.thread, at-1<<12, at); close {
			a.back = 32
		}
		return a
	}
	return nil
}

// sift reads the children of a gap around a place, and those after it while more places follow.
func (l *nodeReader) sift(ctx context.Context, from, to, ord int64, a *aim) (*childRun, error) {
	s, err := l.around(ctx, from, to, ord, a.at, a.back, 0)
	if err != nil {
		return nil, err
	}
	at := walk.Checkpoint{Pos: s.to, Ord: s.toOrd}
	if l.Edit != nil {
		at = l.Edit.Ended
	}
	for without, reads := 0, 0; s.to < to && without < siftAfter && len(s.list) < slabNodes && reads < slabReads; reads++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := l.Child(at)
		if err != nil {
			return nil, err
		}
		at = c.Next
		s.to, s.toOrd = at.Pos, at.Ord
		if !c.Ok {
			break
		}
		without++
		if c.Shown {
			s.list = append(s.list, c.Data)
			if a.wanted(c.Data) {
				without = 0
			}
		}
	}
	return s, nil
}

// leftRows returns how many rows a row with Left stands for.
func (v *view) leftRows(r Row) (rows int64, known bool) {
	if r.Parent == nil {
		return r.To - r.From, true
	}
	if s := r.Parent.sorting(); s != nil && r.From < s.limit {
		return s.left, s.left >= 0
	}
	rows, known = v.counts[keyOf(r.Parent, r.From, r.To)]
	return rows, known
}

// errNoRow: what a row stood for has changed.
var errNoRow = errors.New("the row has changed")

// Count counts the rows that a row with Left stands for, which [Tree.Lines] tells from then on. If
// ctx ends, another call continues from where it stopped.
func (s Shown) Count(ctx context.Context, r Row) error {
	t := s.t
	t.mu.Lock()
	v := t.roots.view
	if v == nil || r.Left == 0 || r.Parent == nil || r.Parent.forgotten() || r.From >= r.To {
		t.mu.Unlock()
		return errNoRow
	}
	_, known := v.leftRows(r)
	t.mu.Unlock()
	if known {
		return nil
	}
	count, err := t.between(ctx, r.Parent, r.From, r.To)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(v.counts) >= maxCounts {
		clear(v.counts)
	}
	v.counts[keyOf(r.Parent, r.From, r.To)] = count
	return nil
}

// nearBytes is how much content is counted without tallies.
const nearBytes = 1 << 20

// between counts the children of n in [from, to), which begins where a child ends or begins.
func (ld *loader) between(ctx context.Context, n *Node, from, to int64) (int64, error) {
	if to-from <= nearBytes {
		return ld.countFrom(ctx, n, childTally{pos: from, ord: -1}, to)
	}
	for more := true; more; {
		if at, exact := ld.lastTally(n); exact || at.pos >= to {
			break
		}
		var err error
		if _, _, more, err = ld.countSome(ctx, n, 1<<62); err != nil {
			return 0, err
		}
	}
	upTo := func(pos int64) (int64, error) {
		at := ld.tallyBefore(n, pos)
		rows, err := ld.countFrom(ctx, n, at, pos)
		return at.rows + rows, err
	}
	before, err := upTo(from)
	if err != nil {
		return 0, err
	}
	all, err := upTo(to)
	return all - before, err
}

// tallyBefore returns the last tally at or before an offset.
func (ld *loader) tallyBefore(n *Node, pos int64) childTally {
	ld.mu.Lock()
	defer ld.mu.Unlock()
	at := firstTally(n)
	if n.kids == nil {
		return at
	}
	list := n.kids.tallies
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := (lo + hi) / 2; list[mid].pos <= pos {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo > 0 {
		at = list[lo-1]
	}
	return at
}

// countFrom counts the children from a tally to an offset. An ordinal of -1 is not known.
func (ld *loader) countFrom(ctx context.Context, n *Node, at childTally, to int64) (rows int64, err error) {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		err := ld.read(n, func(l *nodeReader) error {
			if at.ord < 0 {
				at.ord = l.S.Cells.FirstEnding(at.pos)
			}
			on, err := l.Begin(ctx, at.pos, at.ord)
			if err != nil {
				return err
			}
			var e walk.NodeData
			for reads := 0; reads < walk.TallyEvery && on.Pos < to; reads++ {
				c, err := l.Over(&e, on)
				if err != nil {
					return err
				}
				if !c.Ok || e.At >= to {
					on.Pos = to
					break
				}
				if c.Shown && e.At >= at.pos {
					rows++
				}
				on = c.Next
			}
			at.pos, at.ord = on.Pos, on.Ord
			l.Ends(on)
			more = at.pos < to
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return rows, nil
}
