package index

import (
	"sort"

	"tracex/format"
)

// scannedCells are cells that are in no index: they are found again in the
// data on demand, a group at a time. They may only be used within mapped.Guard.
type scannedCells struct {
	stream *Stream
	n      int64
	points []checkpoint
	mins   []int64
	regen  *regenerator
}

func (c *scannedCells) Len() int64 { return c.n }

func (c *scannedCells) At(ord int64) format.Cell {
	cell, _ := c.WithOffset(ord)
	return cell
}

func (c *scannedCells) WithOffset(ord int64) (format.Cell, int64) {
	group, runs := c.regen.group(c, ord/ScanGroup)
	if i := ord % ScanGroup; i < int64(len(group)) {
		return group[i], posIn(runs, i)
	}
	// The data has changed meanwhile; there is no container.
	return format.Cell{Kind: format.KindTracePoint, Start: -1, End: -1}, 0
}

func (c *scannedCells) FirstEnding(x int64) int64 {
	g := int64(sort.Search(len(c.points), func(i int) bool { return c.points[i].pos > x })) - 1
	if g < 0 {
		return 0
	}
	group, _ := c.regen.group(c, g)
	i := sort.Search(len(group), func(i int) bool { return group[i].End >= x })
	return min(g*ScanGroup+int64(i), c.n)
}

func (c *scannedCells) FirstAround(from, x int64) int64 {
	for from < c.n {
		g := from / ScanGroup
		if from%ScanGroup == 0 && int(g) < len(c.mins) && c.mins[g] > x {
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

func (c *scannedCells) Around(from, x int64, _ *int) (own int64, cell format.Cell, cellAt int64) {
	if own = c.FirstAround(from, x); own < c.n {
		cell, cellAt = c.WithOffset(own)
	}
	return own, cell, cellAt
}
