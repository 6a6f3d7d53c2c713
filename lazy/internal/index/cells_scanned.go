package index

import (
	"sort"

	"tracex/format"
)

// scannedStream is a stream with its cells, which are in no index: they are found again in the
// data on demand, a group at a time. They may only be used within mapped.Guard.
type scannedStream struct {
	Stream
	n      int64 // number of containers that have ended
	counts Counts
	groups *scannedGroups // nil if there is no whole group
	regen  *regenerator   // of a View
}

// scannedGroups are the groups of ScanGroup cells of a stream.
type scannedGroups struct {
	points []checkpoint // of each group, the last one included, which is not whole
	mins   []int64      // smallest start of each whole group
}

// points returns the checkpoints. The first is the beginning of the stream.
func (c *scannedStream) points() []checkpoint {
	if c.groups == nil {
		return firstPoint
	}
	return c.groups.points
}

var firstPoint = []checkpoint{{}} // never changes

// above reports whether all starts of a group are above x, as far as is known.
func (c *scannedStream) above(group, x int64) bool {
	return c.groups != nil && group < int64(len(c.groups.mins)) && c.groups.mins[group] > x
}

func (c *scannedStream) Len() int64 { return c.n }

func (c *scannedStream) At(ord int64) format.Cell {
	cell, _ := c.WithOffset(ord)
	return cell
}

func (c *scannedStream) WithOffset(ord int64) (format.Cell, int64) {
	group, runs := c.regen.group(c, ord/ScanGroup)
	if i := ord % ScanGroup; i < int64(len(group)) {
		return group[i], posIn(runs, i)
	}
	// The data has changed meanwhile; there is no container.
	return format.Cell{Kind: format.KindTracePoint, Start: -1, End: -1}, 0
}

func (c *scannedStream) FirstEnding(x int64) int64 {
	points := c.points()
	g := int64(sort.Search(len(points), func(i int) bool { return points[i].pos > x })) - 1
	if g < 0 {
		return 0
	}
	group, _ := c.regen.group(c, g)
	i := sort.Search(len(group), func(i int) bool { return group[i].End >= x })
	return min(g*ScanGroup+int64(i), c.n)
}

func (c *scannedStream) FirstAround(from, x int64) int64 {
	for from < c.n {
		g := from / ScanGroup
		if from%ScanGroup == 0 && c.above(g, x) {
			from += ScanGroup
			continue
		}
		group, _ := c.regen.group(c, g)
		for i := from % ScanGroup; i < int64(len(group)); i++ {
			if group[i].Start <= x {
				return min(g*ScanGroup+i, c.n)
			}
		}
		from = (g + 1) * ScanGroup
	}
	return c.n
}

func (c *scannedStream) Around(from, x int64, _ *int) (own int64, cell format.Cell, cellAt int64) {
	if own = c.FirstAround(from, x); own < c.n {
		cell, cellAt = c.WithOffset(own)
	}
	return own, cell, cellAt
}
