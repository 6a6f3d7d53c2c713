package index

import (
	"math"
	"sort"

	"tracex/format"
)

func (c *mappedCells) FirstEnding(x int64) int64 {
	var room [1]run
	runs := c.runs(&room)
	end := func(pos int64) int64 { return format.CellEnd(c.index[pos:]) }
	i := sort.Search(len(runs), func(i int) bool { return end(runs[i].pos) >= x })
	if i == 0 {
		return 0
	}
	r, n := runs[i-1], c.n
	if i < len(runs) {
		n = runs[i].ord
	}
	return r.ord + int64(sort.Search(int(n-r.ord), func(k int) bool {
		return end(r.pos+int64(k)*format.CellSize) >= x
	}))
}

func (c *mappedCells) FirstAround(from, x int64) int64 {
	if c.more == nil || c.more.samples == nil {
		return c.scan(min(from, c.n), c.n, x)
	}
	return c.more.samples.firstAround(from, x, c.n, c.scan)
}

// nearCells is how many cells Around compares one by one.
const nearCells = 64

func (c *mappedCells) Around(from, x int64, hint *int) (own int64, cell format.Cell, cellAt int64) {
	to := from
	if from < c.n {
		var room [1]run
		runs := c.runs(&room)
		i := runOf(runs, from, *hint)
		*hint = i
		if to = min(from+nearCells, c.n); i+1 < len(runs) {
			to = min(to, runs[i+1].ord)
		}
		pos := runs[i].pos + (from-runs[i].ord)*format.CellSize
		for b := c.index[pos:]; from < to; from++ {
			if format.CellStart(b) <= x {
				cell, cellAt = c.decode(pos)
				return from, cell, cellAt
			}
			b = b[format.CellSize:]
			pos += format.CellSize
		}
	}
	if own = c.FirstAround(to, x); own < c.n {
		cell, cellAt = c.WithOffset(own)
	}
	return own, cell, cellAt
}

// runOf returns the index of the run that contains an ordinal. hint is where to look
// first.
func runOf(runs []run, ord int64, hint int) int {
	for _, i := range [...]int{hint, hint + 1} {
		if i < len(runs) && runs[i].ord <= ord && (i+1 == len(runs) || ord < runs[i+1].ord) {
			return i
		}
	}
	return sort.Search(len(runs), func(i int) bool { return runs[i].ord > ord }) - 1
}

// scan returns the first ordinal in [from, to) whose start is x or less; to
// if there is none.
func (c *mappedCells) scan(from, to, x int64) int64 {
	var room [1]run
	runs := c.runs(&room)
	for ord := from; ord < to; {
		i := sort.Search(len(runs), func(i int) bool { return runs[i].ord > ord }) - 1
		stop := to
		if i+1 < len(runs) {
			stop = min(stop, runs[i+1].ord)
		}
		b := c.index[runs[i].pos+(ord-runs[i].ord)*format.CellSize:]
		for ; ord < stop; ord++ {
			if format.CellStart(b) <= x {
				return ord
			}
			b = b[format.CellSize:]
		}
	}
	return to
}

// smallestStart returns the smallest start of the cells from an ordinal on; math.MaxInt64 if there
// are none.
func (c *mappedCells) smallestStart(from int64) int64 {
	var room [1]run
	runs, smallest, end := c.runs(&room), int64(math.MaxInt64), c.n
	for i := len(runs) - 1; end > from; i-- {
		ord := max(from, runs[i].ord)
		for b := c.index[runs[i].pos+(ord-runs[i].ord)*format.CellSize:]; ord < end; ord++ {
			smallest = min(smallest, format.CellStart(b))
			b = b[format.CellSize:]
		}
		end = runs[i].ord
	}
	return smallest
}

// firstAround is Cells.FirstAround over n cells: scan looks at single cells,
// the samples let it skip groups.
func (s *samples) firstAround(from, x, n int64, scan func(from, to, x int64) int64) int64 {
	for from < n {
		g := from / groupCells
		switch {
		case from%groupCells == 0 && g%groupCells == 0 && int(g/groupCells) < len(s.supers) && s.supers[g/groupCells] > x:
			from += groupCells * groupCells
			continue
		case from%groupCells == 0 && int(g) < len(s.groups) && s.groups[g] > x:
			from += groupCells
			continue
		}
		to := min((g+1)*groupCells, n)
		if ord := scan(from, to, x); ord < to {
			return ord
		}
		from = to
	}
	return n
}
