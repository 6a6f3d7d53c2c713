package index

import (
	"math"
	"sort"

	"tracex/format"
)

// groupCells is how many cells share one checkpoint of the smallest start.
const groupCells = 512

// mappedCells are cells that stay in the mapped index. In memory are only a
// run for each sequence of container cells (at most as many as there are blocks and
// reference objects between containers), and a checkpoint of 8 bytes for
// each 512 cells. It may only be used within mapped.Guard.
type mappedCells struct {
	index  []byte // the mapped index
	dump   bool   // in the order of a dump writer
	runs   []run
	n      int64
	starts samples
}

// run is a run of consecutive container cells in the index.
type run struct {
	ord int64 // of its first cell
	pos int64 // of its first cell in the index file, in bytes
}

func (c *mappedCells) Len() int64 { return c.n }

func (c *mappedCells) At(ord int64) format.Cell {
	return format.DecodeCell(c.index[posIn(c.runs, ord):])
}

func (c *mappedCells) WithOffset(ord int64) (format.Cell, int64) { return c.decode(posIn(c.runs, ord)) }

// decode decodes the cell at an offset of the index file.
func (c *mappedCells) decode(pos int64) (format.Cell, int64) {
	cell := format.DecodeCell(c.index[pos:])
	if c.dump {
		pos += format.CellSize // after the block's cell, not before it
	}
	return cell, pos
}

// posIn returns the position in the index of a container's cell, which must be in one
// of the runs.
func posIn(runs []run, ord int64) int64 {
	r := runs[sort.Search(len(runs), func(i int) bool { return runs[i].ord > ord })-1]
	return r.pos + (ord-r.ord)*format.CellSize
}

func (c *mappedCells) FirstEnding(x int64) int64 {
	end := func(pos int64) int64 { return format.CellEnd(c.index[pos:]) }
	i := sort.Search(len(c.runs), func(i int) bool { return end(c.runs[i].pos) >= x })
	if i == 0 {
		return 0
	}
	r, n := c.runs[i-1], c.n
	if i < len(c.runs) {
		n = c.runs[i].ord
	}
	return r.ord + int64(sort.Search(int(n-r.ord), func(k int) bool {
		return end(r.pos+int64(k)*format.CellSize) >= x
	}))
}

func (c *mappedCells) FirstAround(from, x int64) int64 {
	return c.starts.firstAround(from, x, c.n, c.scan)
}

// nearCells is how many cells Around compares one by one.
const nearCells = 64

func (c *mappedCells) Around(from, x int64, hint *int) (own int64, cell format.Cell, cellAt int64) {
	to := from
	if from < c.n {
		i := c.runOf(from, *hint)
		*hint = i
		if to = min(from+nearCells, c.n); i+1 < len(c.runs) {
			to = min(to, c.runs[i+1].ord)
		}
		pos := c.runs[i].pos + (from-c.runs[i].ord)*format.CellSize
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
func (c *mappedCells) runOf(ord int64, hint int) int {
	for _, i := range [...]int{hint, hint + 1} {
		if i < len(c.runs) && c.runs[i].ord <= ord && (i+1 == len(c.runs) || ord < c.runs[i+1].ord) {
			return i
		}
	}
	return sort.Search(len(c.runs), func(i int) bool { return c.runs[i].ord > ord }) - 1
}

// scan returns the first ordinal in [from, to) whose start is x or less; to
// if there is none.
func (c *mappedCells) scan(from, to, x int64) int64 {
	for ord := from; ord < to; {
		i := sort.Search(len(c.runs), func(i int) bool { return c.runs[i].ord > ord }) - 1
		stop := to
		if i+1 < len(c.runs) {
			stop = min(stop, c.runs[i+1].ord)
		}
		b := c.index[c.runs[i].pos+(ord-c.runs[i].ord)*format.CellSize:]
		for ; ord < stop; ord++ {
			if format.CellStart(b) <= x {
				return ord
			}
			b = b[format.CellSize:]
		}
	}
	return to
}

// samples hold the smallest start of each whole group of 512 cells, and of each
// 512 groups.
type samples struct {
	groups []int64
	supers []int64
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

// sampler computes samples, some cells at a time.
type sampler struct {
	samples
	inGroup, inSuper       int
	groupStart, superStart int64
}

func newSampler() sampler { return sampler{groupStart: math.MaxInt64, superStart: math.MaxInt64} }

// room returns how many cells the current group lacks, one or more.
func (s *sampler) room() int { return groupCells - s.inGroup }

// addSome adds n cells, at most room(), whose smallest start is smallest.
func (s *sampler) addSome(n int, smallest int64) {
	s.groupStart = min(s.groupStart, smallest)
	if s.inGroup += n; s.inGroup == groupCells {
		s.flush()
	}
}

// flush completes a group.
func (s *sampler) flush() {
	s.groups = append(s.groups, s.groupStart)
	s.superStart = min(s.superStart, s.groupStart)
	if s.inSuper++; s.inSuper == groupCells {
		s.supers = append(s.supers, s.superStart)
		s.inSuper, s.superStart = 0, math.MaxInt64
	}
	s.inGroup, s.groupStart = 0, math.MaxInt64
}
