package lazy

import (
	"slices"
	"sort"
)

// ordered is a range of the order: all shown children whose ranks are in (lo, hi].
type ordered struct {
	lo, hi rank
	list   []ranked
	byAt   []int32 // indexes into list, by rank.at
	used   uint64  // value of sorting.uses at its last use
}

// rangeSize is the memory that a child takes in a range, in bytes.
const rangeSize = 32 + 4

func newOrdered(lo, hi rank, list []ranked) *ordered {
	o := &ordered{lo: lo, hi: hi, list: list, byAt: make([]int32, len(list))}
	for i := range o.byAt {
		o.byAt[i] = int32(i)
	}
	slices.SortFunc(o.byAt, func(a, b int32) int { return int(sign(list[a].at - list[b].at)) })
	return o
}

func sign(n int64) int64 {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func (o *ordered) bytes() int64 { return 128 + rangeSize*int64(len(o.list)) }

// find returns the index of the child at a logical offset.
func (o *ordered) find(at int64) (int, bool) {
	i := sort.Search(len(o.byAt), func(i int) bool { return o.list[o.byAt[i]].at >= at })
	if i == len(o.byAt) || o.list[o.byAt[i]].at != at {
		return 0, false
	}
	return int(o.byAt[i]), true
}

// firstAfter returns the index of the first child after a bound.
func (o *ordered) firstAfter(x rank) int {
	return sort.Search(len(o.list), func(i int) bool { return x.before(o.list[i].rank) })
}

// dropRanges forgets the known ranges of the order of n's children, which remain
// sorted.
func (m *memory) dropRanges(n *Node) {
	s := n.kids.sorted
	if s == nil || len(s.ranges) == 0 {
		return
	}
	for len(s.ranges) > 0 {
		m.dropRange(s, 0)
	}
}

// dropRange forgets a range.
func (m *memory) dropRange(s *sorting, i int) {
	o := s.ranges[i]
	gone := int64(-1)
	if s.between[i] >= 0 && s.between[i+1] >= 0 {
		gone = s.between[i] + s.between[i+1] + int64(len(o.list))
	}
	m.bytes -= o.bytes()
	s.ranges = slices.Delete(s.ranges, i, i+1)
	s.between = slices.Delete(s.between, i, i+1)
	s.between[i] = gone
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

// maxInRange returns the maximum number of children in a range of a sorted node, for a
// loader with a budget.
func maxInRange(budget int64) int {
	return int(min(rangeChildren, max(slabNodes, budget/(64*rangeSize))))
}
