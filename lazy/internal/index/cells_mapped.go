package index

import (
	"math"
	"slices"
	"sort"

	"tracex/format"
)

// mappedCells are cells that stay in the mapped index. In memory are only a
// run for each sequence of container cells (at most as many as there are blocks and
// reference objects between containers), and a checkpoint of 8 bytes for
// each 128 cells. It may only be used within mapped.Guard.
type mappedCells struct {
	*indexCells
	n     int64
	first int64     // position of the first cell; 0 if there is none
	more  *moreRuns // nil for fewer than groupCells cells in one run
}

// moreRuns is what few of many streams have.
type moreRuns struct {
	runs    []run    // all of them
	samples *samples // nil before the first
}

// indexCells are the cells of all streams. They share it: there may be a million of them.
type indexCells struct {
	index []byte // the mapped index
	dump  bool   // in the order of a dump writer
}

// groupCells is how many cells share one checkpoint of the smallest start.
const groupCells = 128

// samples hold the smallest start of each whole group of 128 cells, and of each
// 128 groups.
type samples struct {
	groups     []int64
	supers     []int64
	inSuper    int
	superStart int64
}

// add adds the smallest start of a group.
func (s *samples) add(start int64) {
	s.groups = append(s.groups, start)
	s.superStart = min(s.superStart, start)
	if s.inSuper++; s.inSuper == groupCells {
		s.supers = append(s.supers, s.superStart)
		s.inSuper, s.superStart = 0, math.MaxInt64
	}
}

// run is a run of consecutive container cells in the index.
type run struct {
	ord int64 // of its first cell
	pos int64 // of its first cell in the index file, in bytes
}

func (c *mappedCells) Len() int64 { return c.n }

func (c *mappedCells) At(ord int64) format.Cell { return format.DecodeCell(c.index[c.pos(ord):]) }

func (c *mappedCells) WithOffset(ord int64) (format.Cell, int64) { return c.decode(c.pos(ord)) }

// pos returns the position of a cell in the index.
func (c *mappedCells) pos(ord int64) int64 {
	if c.more == nil {
		return c.first + ord*format.CellSize
	}
	return posIn(c.more.runs, ord)
}

// runs returns the runs. It may use room.
func (c *mappedCells) runs(room *[1]run) []run {
	switch {
	case c.more != nil:
		return c.more.runs
	case c.first == 0:
		return nil
	}
	room[0] = run{pos: c.first}
	return room[:]
}

// addRun begins a run at a position.
func (c *mappedCells) addRun(pos int64) {
	if c.more == nil && c.first == 0 {
		c.first = pos
		return
	}
	m := c.several()
	m.runs = append(m.runs, run{ord: c.n, pos: pos})
}

// several returns what only some streams have, for additions.
func (c *mappedCells) several() *moreRuns {
	if c.more == nil {
		var room [1]run
		c.more = &moreRuns{runs: slices.Clone(c.runs(&room))}
	}
	return c.more
}

// sampled returns the samples, for additions.
func (c *mappedCells) sampled() *samples {
	m := c.several()
	if m.samples == nil {
		m.samples = &samples{superStart: math.MaxInt64}
	}
	return m.samples
}

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
