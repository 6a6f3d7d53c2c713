package lazy

import (
	"context"
	"slices"
	"sort"

	"tracex/format"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// sortWalk is a walk over all children of a node, for the first of those whose ranks
// are after from, or the last of those up to hi.
type sortWalk struct {
	timed  bool          // by durations
	hidden *trace.Hidden // see sorting
	thread int32
	lo, hi rank  // bounds of the gap to search
	from   rank  // lo or later
	last   bool  // find those before hi, not those after from
	most   int   // number to keep
	until  int64 // logical: ignore children from there on
	limit  int64 // where the walk ended
	ord    int64 // of the first cell that ends at or after limit
	epoch  int64
	only   func(c *walk.NodeData) bool // the children that the tree shows; nil for all
	stamp  uint32                      // see sorting

	kept    []ranked // up to twice the number wanted
	bound   rank     // children after it, or before it if last, are not wanted
	bounded bool
	skipped int64 // shown children from lo to from; and, in the end, before the kept ones
	found   int64 // shown children after from
	left    int64 // those of found that are after the kept ones
	out     int64 // children left out because of only
}

// collect does the walk. It ends before a child whose time may yet become known.
func (so *sorter) collect(ctx context.Context, n *Node, w *sortWalk, progress Progress) error {
	so.mu.Lock()
	e := n.e.Load()
	w.limit, w.ord, w.epoch = e.Start, e.First, so.now.Epoch
	w.only, w.stamp = so.view.only(n), so.view.sortedAs(n)
	so.mu.Unlock()
	ended := false
	err := so.overChildren(ctx, n, progress, func(l *nodeReader, pos int64, c *walk.NodeData) error {
		if l.R.Timed() != w.timed {
			return errWeights
		}
		if c.At >= w.until || l.awaits(c, w.timed) {
			w.limit, w.ord, ended = pos, c.First, true
			return ErrEnough
		}
		w.limit, w.ord = c.Next, c.After
		return w.add(l, pos, c)
	})
	if err != nil && !ended {
		return err
	}
	if !ended && e.State != StatePending {
		w.limit = e.End
	}
	w.cut()
	w.left = w.found - int64(len(w.kept))
	if w.last {
		w.skipped, w.left = w.skipped+w.left, 0
	}
	return nil
}

// awaits reports whether the weight of a container may yet become known.
func (l *nodeReader) awaits(c *walk.NodeData, timed bool) bool {
	if c.State == StatePending {
		return true
	}
	return timed && c.CellAt != 0 && !l.V.Complete && l.R.TimesFile.Load().EndsBefore(c.CellAt)
}

// add processes a child.
func (w *sortWalk) add(l *nodeReader, pos int64, c *walk.NodeData) error {
	shown, err := l.shown(c)
	if shown == nil || err != nil {
		return err
	}
	if w.only != nil && !w.only(shown) {
		w.out++
		return nil
	}
	r := ranked{rank{nestedBut(shown, w.hidden, w.thread), c.At}, c.First, c.At - pos}
	if w.timed {
		r.weight = format.NoDuration
		if t, ok := l.Time(shown); ok {
			r.weight = t.Duration
		}
	}
	switch {
	case !w.lo.before(r.rank) || w.hi.before(r.rank):
		return nil
	case !w.from.before(r.rank):
		w.skipped++
		return nil
	}
	w.found++
	if w.bounded && w.beyond(r.rank) {
		return nil
	}
	if w.kept = append(w.kept, r); len(w.kept) >= 2*w.most {
		w.cut()
	}
	return nil
}

// beyond reports whether a child is not wanted.
func (w *sortWalk) beyond(r rank) bool {
	if w.last {
		return r.before(w.bound)
	}
	return w.bound.before(r)
}

// cut sorts the kept children and drops the unwanted ones.
func (w *sortWalk) cut() {
	slices.SortFunc(w.kept, func(a, b ranked) int {
		switch {
		case a.before(b.rank):
			return -1
		case b.before(a.rank):
			return 1
		}
		return 0
	})
	if len(w.kept) < w.most {
		return
	}
	w.bounded = true
	if w.last {
		w.kept = append(w.kept[:0], w.kept[len(w.kept)-w.most:]...)
		w.bound = w.kept[0].rank
		return
	}
	w.kept = w.kept[:w.most]
	w.bound = w.kept[w.most-1].rank
}

// ordered returns the range that the walk has found.
func (w *sortWalk) ordered() *ordered {
	lo, hi := w.from, w.hi
	if w.skipped == 0 {
		lo = w.lo
	} else if w.last {
		lo = w.kept[0].justBefore()
	}
	if w.left > 0 {
		hi = w.kept[len(w.kept)-1].rank
	}
	return newOrdered(lo, hi, slices.Clone(w.kept))
}

// addRange adds the range that a walk has found and returns it: nil if some of it is
// known already.
func (m *memory) addRange(s *sorting, w *sortWalk) *ordered {
	i := sort.Search(len(s.ranges), func(i int) bool { return w.lo.before(s.ranges[i].hi) })
	if i > 0 && s.ranges[i-1].hi != w.lo || i == 0 && w.lo != firstRank ||
		i < len(s.ranges) && s.ranges[i].lo != w.hi || i == len(s.ranges) && w.hi != lastRank {
		return nil
	}
	o := w.ordered()
	s.use(o)
	s.ranges = slices.Insert(s.ranges, i, o)
	s.between[i] = w.skipped
	s.between = slices.Insert(s.between, i+1, w.left)
	m.bytes += o.bytes()
	for len(s.ranges) > maxRanges {
		oldest := -1
		for i, r := range s.ranges {
			if r != o && (oldest < 0 || r.used < s.ranges[oldest].used) {
				oldest = i
			}
		}
		m.dropRange(s, oldest)
	}
	return o
}
