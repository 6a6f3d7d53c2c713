package index

import (
	"encoding/binary"
	"errors"
	"os"

	"tracex/format"
	"tracex/format/tracefile"
)

// File writes an index, cell by cell, into a file that takes its place when it is
// whole.
type File struct {
	Writer
	path    string
	pending *tracefile.Pending
}

// Writer writes the cells of an index into a file. It is a [Sink]; its first
// failure sticks.
type Writer struct {
	f    *os.File
	Dump bool // a block's cell comes after the cells of its objects; set it before the first
	buf  []byte
	off  int64       // of buf[0] in the file
	open int64       // offset of the cell of the block that is open; of a dump, of its first object; -1: none
	head format.Cell // of a dump's block that is open
	err  error
}

// NewWriter begins an index of a version in an empty file, which stays the
// caller's.
func NewWriter(f *os.File, v format.Version) Writer {
	return Writer{f: f, buf: format.AppendIndexHeader(make([]byte, 0, storeBuffer+64), v), open: -1}
}

// storeBuffer is how many bytes are written at a time.
const storeBuffer = 1 << 20

// Create begins an index of this version that is to be at path. It gets the
// permissions of the data at data.
func Create(path, data string, v format.Version) (*File, error) {
	st, err := os.Stat(data)
	if err != nil {
		return nil, err
	}
	p, err := tracefile.Create(path, st.Mode().Perm()|0o200, true)
	if err != nil {
		return nil, err
	}
	return &File{Writer: NewWriter(p.File, v), path: path, pending: p}, nil
}

// Cell adds a cell.
func (w *Writer) Cell(c format.Cell) {
	if w.err != nil {
		return
	}
	if len(w.buf) >= storeBuffer {
		w.Flush()
	}
	w.buf = c.Append(w.buf)
}

// BeginBlock begins a block of a thread, at a physical offset of the data.
func (w *Writer) BeginBlock(thread int32, start int64) {
	if len(w.buf) >= storeBuffer {
		w.Flush()
	}
	w.open = w.off + int64(len(w.buf))
	w.head = format.Cell{Kind: format.KindBlockStart, ID: thread, Start: start, End: -1}
	if !w.Dump {
		w.Cell(w.head)
	}
}

// EndBlock fills in the end of the block's cell; of a dump it writes the cell.
func (w *Writer) EndBlock(end int64) {
	if w.err != nil {
		return
	}
	at := w.open + format.CellEndAt
	w.open = -1
	if w.Dump {
		w.head.End = end
		w.Cell(w.head)
		return
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(end))
	if at >= w.off {
		copy(w.buf[at-w.off:], b[:])
		return
	}
	if _, err := w.f.WriteAt(b[:], at); err != nil {
		w.err = err
	}
}

// DropBlock takes back the cells of a block that has no end.
func (w *Writer) DropBlock() {
	if w.err != nil || w.open < 0 {
		return
	}
	if w.open < w.off {
		w.off, w.buf = w.open, w.buf[:0]
		w.err = w.f.Truncate(w.off)
	} else {
		w.buf = w.buf[:w.open-w.off]
	}
	w.open = -1
}

// Flush writes what is buffered.
func (w *Writer) Flush() {
	if w.err != nil {
		return
	}
	n, err := w.f.WriteAt(w.buf, w.off)
	w.off += int64(n)
	w.buf = w.buf[:0]
	w.err = err
}

// Tail appends the last cell; at is what a dump writer puts into it, -1 for another.
func (w *Writer) Tail(at int64) { w.buf = format.AppendIndexTail(w.buf, at) }

// Err returns the first failure of writing.
func (w *Writer) Err() error { return w.err }

// Path returns where the index is to be.
func (w *File) Path() string { return w.path }

// Commit ends the index and puts it into its place.
func (w *File) Commit() error {
	if w.open >= 0 {
		w.err = errors.Join(w.err, errors.New("a block without an end"))
	}
	w.Tail(-1)
	w.Flush()
	if w.err != nil {
		w.Abandon()
		return tracefile.WriteError(w.path, w.err)
	}
	defer w.Abandon()
	return w.pending.Commit()
}

// Abandon removes what was written, unless it is committed.
func (w *File) Abandon() { w.pending.Discard() }
