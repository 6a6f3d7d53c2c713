package index

import (
	"sort"
	"sync"

	"tracex/format"
	"tracex/lazy/internal/mapped"
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

// ScanGroup is how many cells a scan keeps one checkpoint for.
const ScanGroup = 4096

// checkpoint is the start of a group of ScanGroup cells.
type checkpoint struct {
	pos    int64  // logical: after the footer before the first cell of the group
	cellAt int64  // of the next cell, if it is in the same block
	open   *frame // the innermost container open there
}

// frame is a container that is open at a checkpoint. Checkpoints share frames, which
// do not change.
type frame struct {
	start  int64 // logical, of its content
	event  int32
	class  format.Class
	parent *frame
}

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

// Scanned returns the tally of a scan; zero if an index was loaded.
func (s *Stream) Scanned() Tally {
	if c, ok := s.Cells.(*scannedStream); ok {
		return Tally{s.Size, c.counts}
	}
	return Tally{}
}
