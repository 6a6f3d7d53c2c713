package tracefile

import (
	"encoding/binary"
	"errors"
	"os"

	"tracex/format"
)

// IndexWriter writes the index cells of data that exists already, or is written by other means.
// It writes a block's cell before the end of the block is known, and completes it in the file
// later. Its first failure sticks.
type IndexWriter struct {
	f    *os.File
	Dump bool // a block's cell follows the cells of its objects; set it before the first cell
	buf  []byte
	off  int64       // of buf[0] in the file
	open int64       // offset of the cell of the open block; in a dump, of its first object; -1 if none
	head format.Cell // of a dump's open block
	err  error
}

// NewIndexWriter begins an index of a version in an empty file, which the caller owns.
func NewIndexWriter(f *os.File, v format.Version) IndexWriter {
	return IndexWriter{f: f, buf: format.AppendIndexHeader(make([]byte, 0, indexBuffer+64), v), open: -1}
}

// indexBuffer is how many bytes are written at a time.
const indexBuffer = 1 << 20

// Cell adds a cell.
func (w *IndexWriter) Cell(c format.Cell) {
	if w.err != nil {
		return
	}
	if len(w.buf) >= indexBuffer {
		w.Flush()
	}
	w.buf = c.Append(w.buf)
}

// BeginBlock begins a block of a thread, at a physical offset of the data.
func (w *IndexWriter) BeginBlock(thread int32, start int64) {
	if len(w.buf) >= indexBuffer {
		w.Flush()
	}
	w.open = w.off + int64(len(w.buf))
	w.head = format.Cell{Kind: format.KindBlockStart, ID: thread, Start: start, End: -1}
	if !w.Dump {
		w.Cell(w.head)
	}
}

// InBlock reports whether a block is open.
func (w *IndexWriter) InBlock() bool { return w.open >= 0 }

// EndBlock fills in the end of the block's cell; in a dump it writes the cell.
func (w *IndexWriter) EndBlock(end int64) {
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

// DropBlock removes the cells of a block that has no end.
func (w *IndexWriter) DropBlock() {
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

// Flush writes the buffered cells.
func (w *IndexWriter) Flush() {
	if w.err != nil {
		return
	}
	n, err := w.f.WriteAt(w.buf, w.off)
	w.off += int64(n)
	w.buf = w.buf[:0]
	w.err = err
}

// Tail appends the last cell; at is the value that a dump writer puts into it, or -1.
func (w *IndexWriter) Tail(at int64) { w.buf = format.AppendIndexTail(w.buf, at) }

// Err returns the first write error.
func (w *IndexWriter) Err() error { return w.err }

// End ends the index. It fails if a block has no end.
func (w *IndexWriter) End() error {
	if w.open >= 0 {
		w.err = errors.Join(w.err, errors.New("a block without an end"))
	}
	w.Tail(-1)
	w.Flush()
	return w.err
}
