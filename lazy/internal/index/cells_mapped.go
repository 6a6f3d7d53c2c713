package index

import (
	"sort"

	"tracex/format"
)

// mappedCells are cells that stay in the mapped index. In memory are only a
// run for each sequence of container cells (at most as many as there are blocks and
// reference objects between containers), and a checkpoint of 8 bytes for
// each 128 cells. It may only be used within mapped.Guard.
type mappedCells struct {
	*indexCells
	runs   []run
	n      int64
	starts sampler // complete
}

// indexCells are the cells of all streams. They share it: there may be a million of them.
type indexCells struct {
	index []byte // the mapped index
	dump  bool   // in the order of a dump writer
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
