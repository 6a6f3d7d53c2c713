package index

import (
	"context"
	"os"
	"sync"

	"tracex/format"
	"tracex/format/tracefile"
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

// Rebuild makes the index of a data file from the data only and stores it
// at path, "" for the default name beside the data. It replaces an existing file only
// once the index is complete. progress may be nil; it gets bytes of data.
// Rebuild refuses a recording without its end mark unless force is set; the index
// then ends with the last whole object.
func Rebuild(ctx context.Context, data, path string, force bool, progress func(done, total int64)) error {
	if path == "" {
		path = data + format.IndexSuffix
	}
	m, err := mapped.Open(data, format.CheckDataHeader)
	if err != nil {
		return err
	}
	defer m.Unmap()
	out, err := Create(path, data, m.Version())
	if err != nil {
		return err
	}
	s := NewScan(m, func([]byte, format.Cell) error { return nil })
	s.out = out
	a := m.ReadAhead(0, nil)
	defer a.Stop()
	for more := true; more; {
		a.Reached(s.scanner.Offset())
		err := mapped.Guard(func() error {
			var err error
			more, err = s.Advance(ctx, verifyBytes)
			return err
		}, m)
		if err != nil {
			out.Abandon()
			return err
		}
		if progress != nil {
			progress(s.scanner.Offset(), int64(len(m.Bytes())))
		}
	}
	if problem := s.Problem(); problem != nil && !force {
		out.Abandon()
		return problem
	}
	if out.InBlock() {
		out.EndBlock(s.scanner.Offset())
	}
	return out.Commit()
}

// File writes an index, cell by cell, into a file that is moved to its path when it is
// complete.
type File struct {
	tracefile.IndexWriter
	path    string
	pending *tracefile.Pending
}

// Create begins an index of this version for path. It gets the permissions of the data
// file at data.
func Create(path, data string, v format.Version) (*File, error) {
	st, err := os.Stat(data)
	if err != nil {
		return nil, err
	}
	p, err := tracefile.Create(path, st.Mode().Perm()|0o200, true)
	if err != nil {
		return nil, err
	}
	return &File{IndexWriter: tracefile.NewIndexWriter(p.File, v), path: path, pending: p}, nil
}

// Path returns the path of the finished index.
func (w *File) Path() string { return w.path }

// Commit completes the index and moves it to its path.
func (w *File) Commit() error {
	if err := w.End(); err != nil {
		w.Abandon()
		return tracefile.WriteError(w.path, err)
	}
	defer w.Abandon()
	return w.pending.Commit()
}

// Abandon removes the file, unless it is committed.
func (w *File) Abandon() { w.pending.Discard() }
