package lazy

import (
	"encoding/binary"
	"errors"
	"os"

	"tracex/format"
	"tracex/format/tracefile"
)

// indexFile writes an index, cell by cell, into a file that takes its place when it is
// whole.
type indexFile struct {
	indexWriter
	path    string
	pending *tracefile.Pending
}

// indexWriter writes the cells of an index into a file. It is a cellSink; its
// first failure sticks.
type indexWriter struct {
	f    *os.File
	Dump bool // a block's cell comes behind the cells of its objects
	buf  []byte
	off  int64       // of buf[0] in the file
	open int64       // offset of the cell of the block that is open; of a dump, of its first object; -1: none
	head format.Cell // of a dump's block that is open
	err  error
}

func newIndexWriter(f *os.File, v format.Version) indexWriter {
	return indexWriter{f: f, buf: format.AppendIndexHeader(make([]byte, 0, storeBuffer+64), v), open: -1}
}

// storeBuffer is how many bytes are written at a time.
const storeBuffer = 1 << 20

// createIndex begins an index of this version that is to be at path. It gets the
// permissions of the data at data.
func createIndex(path, data string, v format.Version) (*indexFile, error) {
	st, err := os.Stat(data)
	if err != nil {
		return nil, err
	}
	p, err := tracefile.Create(path, st.Mode().Perm()|0o200, true)
	if err != nil {
		return nil, err
	}
	return &indexFile{indexWriter: newIndexWriter(p.File, v), path: path, pending: p}, nil
}

func (w *indexWriter) cell(c format.Cell) {
	if w.err != nil {
		return
	}
	if len(w.buf) >= storeBuffer {
		w.flush()
	}
	w.buf = c.Append(w.buf)
}

func (w *indexWriter) beginBlock(thread int32, start int64) {
	if len(w.buf) >= storeBuffer {
		w.flush()
	}
	w.open = w.off + int64(len(w.buf))
	w.head = format.Cell{Kind: format.KindBlockStart, ID: thread, Start: start, End: -1}
	if !w.Dump {
		w.cell(w.head)
	}
}

// endBlock fills in the end of the block's cell; of a dump it writes the cell.
func (w *indexWriter) endBlock(end int64) {
	if w.err != nil {
		return
	}
	at := w.open + format.CellEndAt
	w.open = -1
	if w.Dump {
		w.head.End = end
		w.cell(w.head)
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

// dropBlock takes back the cells of a block that has no end.
func (w *indexWriter) dropBlock() {
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

func (w *indexWriter) flush() {
	if w.err != nil {
		return
	}
	n, err := w.f.WriteAt(w.buf, w.off)
	w.off += int64(n)
	w.buf = w.buf[:0]
	w.err = err
}

// tail appends the last cell; at is what a dump writer puts into it, -1 for another.
func (w *indexWriter) tail(at int64) { w.buf = format.AppendIndexTail(w.buf, at) }

// failure returns the first failure of writing.
func (w *indexWriter) failure() error { return w.err }

// Path returns where the index is to be.
func (w *indexFile) Path() string { return w.path }

// commit ends the index and puts it into its place.
func (w *indexFile) commit() error {
	if w.open >= 0 {
		w.err = errors.Join(w.err, errors.New("a block without an end"))
	}
	w.tail(-1)
	w.flush()
	if w.err != nil {
		w.abandon()
		return tracefile.WriteError(w.path, w.err)
	}
	defer w.abandon()
	return w.pending.Commit()
}

// abandon removes what was written, unless it is committed.
func (w *indexFile) abandon() { w.pending.Discard() }
