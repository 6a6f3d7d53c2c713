package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"tracex/recorder/internal/claim"
)

// OutFile is a file that is written front to back and can be truncated.
type OutFile interface {
	io.WriterAt
	Truncate(size int64) error
	Close() error
}

// Create creates a file that must not exist, and locks it. Programs started meanwhile do
// not inherit it.
func Create(path string) (OutFile, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist) && claim.Held(path):
		return nil, claim.InUse(path)
	case errors.Is(err, fs.ErrExist):
		return nil, exists(err)
	case err != nil:
		return nil, err
	}
	if err := claim.New(f); err != nil {
		_ = f.Close() // it is the other's by now
		return nil, err
	}
	return f, nil
}

// exists adds to the error for an existing file what to do about it.
func exists(err error) error {
	return fmt.Errorf("%w: choose another path, remove it, or set Overwrite", err)
}

// fileWriter gathers bytes for an OutFile. Two buffers take turns: one is filled while the other is
// written.
type fileWriter struct {
	name    string
	to      OutFile // nil if it is not wanted, and nothing is gathered
	room    int     // size of a buffer, unless a large object is in it
	most    int     // bytes that may wait before more are gathered
	buf     []byte  // being filled; the files' mu guards it
	spare   []byte  // the other one, while nothing is written
	writing []byte  // being written
	live    liveBuffers
	end     int64 // position of buf in the file

	pos  int64 // bytes in the file; the files' io guards it
	good int64 // of those, the bytes of whole blocks, or whole chunks in a dump
}

// size returns the position after everything that was added.
func (f *fileWriter) size() int64 { return f.end + int64(len(f.buf)) }

// waits reports whether at least 1/part of what may wait is gathered.
func (f *fileWriter) waits(part int) bool { return part*len(f.buf) >= f.most && len(f.buf) > 0 }

// take moves the gathered bytes to writing, and begins the other buffer.
func (f *fileWriter) take() {
	b := f.buf
	if f.spare == nil && f.to != nil {
		f.spare = f.newBuffer(f.room)
	}
	f.buf, f.spare = f.spare[:0], nil
	f.end += int64(len(b))
	f.writing = b
}

func (f *fileWriter) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	n, err := f.to.WriteAt(b, f.pos)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.name, err)
	}
	f.pos += int64(n)
	return nil
}

// wrote notes that a buffer is in the file. It keeps the buffer if that has the standard size.
func (f *fileWriter) wrote(b []byte) {
	f.good = f.pos
	f.writing = nil
	if cap(b) == f.room {
		f.spare = b
	}
}

// cut truncates the file to what is good, and appends tail if that can still be written: after
// a failure there may be room for its few bytes.
func (f *fileWriter) cut(tail []byte) {
	f.buf, f.spare = nil, nil
	if f.to == nil {
		return
	}
	if f.to.Truncate(f.good) == nil {
		f.pos = f.good
		// A trace without its end can be read too.
		_, _ = f.to.WriteAt(tail, f.good)
	}
}
