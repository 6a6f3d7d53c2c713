package lazy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tracex/format"
)

// indexFile writes an index, cell by cell, into a file beside its final place,
// which it takes at the end: nobody sees half an index, and what stood there
// stays until then. It is a cellSink; its first failure sticks.
type indexFile struct {
	path string
	mode os.FileMode // that it gets
	f    *os.File
	buf  []byte
	off  int64 // of buf[0] in the file
	open int64 // offset of the cell of the block that is open; -1: none
	err  error
}

// storeBuffer is how many bytes are written at a time.
const storeBuffer = 1 << 20

// createIndex begins an index of this version that is to be at path, of the data at data: who
// may read the one may read the other.
func createIndex(path, data string, v format.Version) (*indexFile, error) {
	st, err := os.Stat(data)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, err
	}
	return &indexFile{path: path, f: f, mode: st.Mode().Perm() | 0o200, buf: format.AppendIndexHeader(make([]byte, 0, storeBuffer+64), v), open: -1}, nil
}

func (w *indexFile) cell(c format.Cell) {
	if w.err != nil {
		return
	}
	if len(w.buf) >= storeBuffer {
		w.flush()
	}
	w.buf = c.Append(w.buf)
}

func (w *indexFile) beginBlock(thread int32, start int64) {
	if len(w.buf) >= storeBuffer {
		w.flush()
	}
	w.open = w.off + int64(len(w.buf))
	w.cell(format.Cell{Kind: format.KindBlockStart, ID: thread, Start: start, End: -1})
}

// endBlock fills in the end of the block's cell.
func (w *indexFile) endBlock(end int64) {
	if w.err != nil {
		return
	}
	var b [8]byte
	for i := range b {
		b[i] = byte(end >> (56 - 8*i))
	}
	at := w.open + format.CellSize - 8
	w.open = -1
	if at >= w.off {
		copy(w.buf[at-w.off:], b[:])
		return
	}
	if _, err := w.f.WriteAt(b[:], at); err != nil {
		w.err = err
	}
}

func (w *indexFile) flush() {
	if w.err != nil {
		return
	}
	n, err := w.f.WriteAt(w.buf, w.off)
	w.off += int64(n)
	w.buf = w.buf[:0]
	w.err = err
}

// commit ends the index and puts it into its place.
func (w *indexFile) commit() error {
	if w.open >= 0 {
		w.err = errors.Join(w.err, errors.New("a block without an end"))
	}
	w.buf = format.AppendIndexTail(w.buf, -1)
	w.flush()
	if w.err == nil {
		w.err = w.f.Chmod(w.mode)
	}
	if w.err == nil {
		w.err = w.f.Sync()
	}
	if w.err != nil {
		err := fmt.Errorf("%s: %w", w.path, w.err)
		w.abandon()
		return err
	}
	if err := w.f.Close(); err != nil {
		os.Remove(w.f.Name())
		return err
	}
	if err := os.Rename(w.f.Name(), w.path); err != nil {
		os.Remove(w.f.Name())
		return err
	}
	return nil
}

// abandon removes what was written.
func (w *indexFile) abandon() {
	w.f.Close()
	os.Remove(w.f.Name())
}
