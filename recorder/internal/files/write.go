package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/claim"
	"tracex/recorder/internal/live"
)

// Write writes the gathered bytes to the files. Neither io nor mu is held.
func (f *Files) Write() error {
	f.io.Lock()
	defer f.io.Unlock()
	f.mu.Lock()
	if f.err != nil || f.closed {
		defer f.mu.Unlock()
		return f.err
	}
	for _, o := range f.all() {
		o.take()
	}
	taken, begun := f.current.span, f.waiting
	f.waiting = 0
	state := uint64(live.StateRecording)
	if f.ending {
		state = live.StateEnding // the files' end is among the bytes taken
	}
	f.commitAs(nil, buffers.Part{}, nil, state)
	data, index, times := f.data.writing, f.index.writing, f.times.writing
	f.mu.Unlock()

	err := f.data.write(data)
	if err == nil {
		err = f.index.write(index)
	}
	if err == nil {
		err = f.times.write(times)
	}
	if err == nil {
		err = f.removed()
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.waiting += begun
		f.fail(err)
		return err
	}
	f.data.wrote(data)
	f.index.wrote(index)
	f.times.wrote(times)
	f.written = taken
	f.commit(nil, buffers.Part{}, nil)
	return nil
}

// fail ends the files after the last whole block, and ends the recording. io and mu are held.
func (f *Files) fail(err error) {
	f.err = err
	f.endLive() // all whole blocks are in the files
	var data, index, times []byte
	if b := &f.current; b.cut(f.data.good) {
		// A dump keeps what it has of a thread.
		data = append(data, byte(format.KindBlockEnd))
		index = b.ending(f.data.good).Append(index)
		times = f.written.cell(b.s.ID).Append(times)
	}
	f.data.cut(append(data, byte(format.KindEOF)))
	f.index.cut(format.AppendIndexTail(index, f.end()))
	f.times.cut(f.appendEnd(times))
	f.Host.Dropped(f.waiting)
	f.Host.Fail(err)
}

// end returns the end for the EOF cell.
func (f *Files) end() int64 {
	if f.Dump {
		return format.DumpEnd(f.last)
	}
	return -1
}

// appendEnd appends the time of the EOF cell.
func (f *Files) appendEnd(dst []byte) []byte {
	if f.times.to == nil {
		return dst
	}
	// For a recording that Finish finishes, the present is the last time known of it.
	return format.TimeCell{ID: -1, Start: max(f.Clock.Present(), f.latest)}.Append(dst)
}

// Finish ends and closes the files.
func (f *Files) Finish() error {
	f.mu.Lock()
	if f.err == nil && !f.closed {
		f.data.buf = append(f.data.buf, byte(format.KindEOF))
		f.index.buf = format.AppendIndexTail(f.index.buf, f.end())
		f.times.buf = f.appendEnd(f.times.buf)
		f.broken, f.ending = true, true
	}
	f.mu.Unlock()
	_ = f.Write() // the error is kept
	f.io.Lock()
	defer f.io.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return f.err
	}
	f.closed = true
	for _, file := range f.all() {
		if file.to == nil {
			continue
		}
		if err := file.to.Close(); err != nil && f.err == nil {
			f.err = err
			f.Host.Fail(f.err)
		}
	}
	f.endLive()
	return f.err
}

// Saved is how much is in the files, in whole blocks and in bytes.
type Saved struct{ Blocks, Data, Index, Times int64 }

// Saved returns how much is in the files.
func (f *Files) Saved() Saved {
	f.io.Lock()
	defer f.io.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	return Saved{f.whole, f.data.pos, f.index.pos, f.times.pos}
}

// ErrRemoved: the data file was removed or replaced while it was recorded into. The recording
// ends, as nothing more of it could be read. If the file was moved, the recording continues.
var ErrRemoved = errors.New("the trace was removed while it was recorded")

// removed returns an error if the data file has no name any longer. On systems and file systems
// that do not count a file's names it returns nil. io is held.
func (f *Files) removed() error {
	file, ok := f.data.to.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return nil // the next write reports it
	}
	switch names, known := nameCount(info); {
	case !known:
	case names > 0:
		f.linked = true
	case f.linked:
		return fmt.Errorf("%s: %w", f.data.name, ErrRemoved)
	}
	return nil
}

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
