package index

import (
	"sync"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// cachedGroups is how many groups of regenerated cells are kept, of 96 KiB
// each.
const cachedGroups = 64

// regenerator finds the cells of scanned streams again and keeps the most recently
// used.
type regenerator struct {
	data *mapped.File
	mu   sync.Mutex
	kept []keptGroup // most recently used last
}

// keptGroup is a group of cells; it does not change.
type keptGroup struct {
	thread int32
	group  int64
	cells  []format.Cell
	runs   []run // of the cells; ordinals count within the group
}

// group returns the cells of a group, as many as c has, and their runs.
func (r *regenerator) group(c *scannedStream, g int64) ([]format.Cell, []run) {
	want := int(min(c.n-g*ScanGroup, ScanGroup))
	if want <= 0 {
		return nil, nil
	}
	if cells, runs := r.find(c.Thread, g, want); cells != nil {
		return cells[:want], runs
	}
	cells, runs := r.make(c, g, want)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) >= cachedGroups {
		r.kept = append(r.kept[:0], r.kept[1:]...)
	}
	r.kept = append(r.kept, keptGroup{c.Thread, g, cells, runs})
	return cells, runs
}

func (r *regenerator) find(thread int32, g int64, want int) ([]format.Cell, []run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.kept) - 1; i >= 0; i-- {
		k := r.kept[i]
		if k.thread == thread && k.group == g && len(k.cells) >= want {
			if i < len(r.kept)-1 && i < len(r.kept)-8 {
				copy(r.kept[i:], r.kept[i+1:])
				r.kept[len(r.kept)-1] = k
			}
			return k.cells, k.runs
		}
	}
	return nil, nil
}

// make scans the stream from the group's checkpoint.
func (r *regenerator) make(c *scannedStream, g int64, want int) (cells []format.Cell, runs []run) {
	p := c.points()[g]
	cells = make([]format.Cell, 0, want)
	open, pos, cellAt, hint := p.open, p.pos, p.cellAt, 0
	s := &c.Stream
	for len(cells) < want && pos < s.Size {
		hint = s.Locate(pos, hint)
		b := s.Block(hint)
		lo, hi := b.Physical+pos-b.Logical, b.Physical+s.End(hint)-b.Logical
		if hi > int64(len(r.data.Bytes())) {
			return cells, runs
		}
		if pos == b.Logical {
			cellAt = b.CellAt + format.CellSize
		}
		var class format.Class
		if open != nil {
			class = open.class
		}
		object := r.data.Bytes()[lo:hi]
		n, err := r.data.Version().Size(object, class)
		if err != nil {
			return cells, runs
		}
		switch k := format.Kind(object[0]); {
		case k == format.KindTracePoint:
			if class, _ := r.data.Version().PointClass(object[format.PointClassAt]); class.Container() {
				open = &frame{start: pos + int64(n), event: format.EventOf(object), class: class, parent: open}
			}
		case k == format.KindFooter:
			if open == nil {
				return cells, runs
			}
			if i := int64(len(cells)); len(runs) == 0 || posIn(runs, i) != cellAt {
				runs = append(runs, run{ord: i, pos: cellAt})
			}
			cellAt += format.CellSize
			cells = append(cells, format.Cell{Kind: format.KindTracePoint, ID: open.event, Start: open.start, End: pos})
			open = open.parent
		case k.Reference():
			cellAt += format.CellSize
		}
		pos += int64(n)
	}
	return cells, runs
}
