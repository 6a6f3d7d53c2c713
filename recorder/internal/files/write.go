package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"tracex/format"
	"tracex/recorder/internal/claim"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
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

type fileWriters struct {
	data, index, times fileWriter
	pages              format.TimesWriter // what times.buf gets
	cells              []format.TimeCell  // of the block that is being added
	fixed              bool               // the times are of version 1: an older recorder began them
	reopened           bool               // only Finish writes, whose bytes are the same however often it is begun
}

// Options say where files are, and what they have.
type Options struct {
	Path      string
	Overwrite bool // remove files of these names
	Dump      bool // each thread has one block, written at the end
	BlockSize int
	MaxMemory int64
	Layout    *values.Layout
	Registry  *registry.Registry
	Clock     *clock.Clock                       // nil if no times are wanted
	Create    func(path string) (OutFile, error) // nil for a new file
	Host      Host
}

// Host is what Files needs of a recorder.
type Host interface {
	// Fail keeps an error that ends the recording: nothing is written any longer. Warn keeps one
	// that does not.
	Fail(err error)
	Warn(err error)
	// Dropped counts trace points that are in no file.
	Dropped(n int64)
	// Wake asks for a call of Write by another goroutine. It returns false if there is none.
	Wake() bool
}

// backlog is how many blocks of data, besides one more, may wait to be written: few if there is
// little memory. Writing several at once is cheaper than one by one.
func (c *Options) backlog() int {
	return int(min(max(c.MaxMemory/int64(c.BlockSize)/64, 1), 4))
}

// timeCell is how many bytes a time takes mostly.
const timeCell = 8

// sizes returns how large the buffers of the three files are, in bytes.
//
// A chunk has a mark for each 16 bytes, and mostly each second one is a footer, which makes an
// index cell of 21 bytes and a time of timeCell bytes mostly. A block may consist only of footers, but the
// waiting blocks together have no more than that.
func (c *Options) sizes() (data, index, times int) {
	block, n := c.BlockSize, c.backlog()*c.BlockSize
	return n + block, n*format.CellSize/32 + block*format.CellSize/16, n*timeCell/32 + block*timeCell/16
}

// Share returns how many blocks of memory the files take: two buffers for each, and
// drafts.
func (c *Options) Share(drafts int) int { return 5*c.backlog() + 8 + 3*drafts }

// MaxDrafts is the most that Drafts returns.
const MaxDrafts = 8

// Drafts returns how many blocks are drafted at once at most.
func (c *Options) Drafts() int {
	return int(min(max(c.MaxMemory/int64(c.BlockSize)/64, 1), MaxDrafts, int64(runtime.GOMAXPROCS(0))))
}

// liveBuffers is where the buffers of a file are in the live file.
type liveBuffers struct {
	file    *live.File // nil if nowhere
	regions []*live.Region
}

// newBuffer returns an empty buffer with room for size bytes.
func (f *fileWriter) newBuffer(size int) []byte {
	if l := f.live.file; l != nil {
		if p, err := l.Alloc(int64(size)); err == nil {
			f.live.regions = append(f.live.regions, p)
			return p.Mem[:0:size]
		}
	}
	return make([]byte, 0, size)
}

// region returns where a buffer is in the live file; nil if it is not in it.
func (b *liveBuffers) region(buf []byte) *live.Region {
	if cap(buf) == 0 {
		return nil
	}
	for _, p := range b.regions {
		if &p.Mem[0] == &buf[:1][0] {
			return p
		}
	}
	return nil
}

// grown moves a buffer that has outgrown its region into a larger one.
func (f *fileWriter) grown(buf []byte) ([]byte, error) {
	if len(buf) == 0 || f.live.region(buf) != nil {
		return buf, nil
	}
	next := f.newBuffer(max(2*len(buf), f.room))
	if f.live.region(next) == nil {
		return buf, live.ErrFull
	}
	return append(next, buf...), nil
}

// commit puts the positions and lengths of the file's buffers into a transaction.
func (f *fileWriter) commit(tx *live.Tx, i int) (err error) {
	if f.buf, err = f.grown(f.buf); err != nil {
		return err
	}
	if f.writing, err = f.grown(f.writing); err != nil {
		return err
	}
	var b [live.AtWritePos + 8]byte
	put := func(at int, v uint64) { binary.NativeEndian.PutUint64(b[at:], v) }
	if p := f.live.region(f.buf); p != nil {
		put(live.AtFill, uint64(p.Off))
	}
	put(live.AtFillLen, uint64(len(f.buf)))
	put(live.AtFillPos, uint64(f.end))
	if p := f.live.region(f.writing); p != nil {
		put(live.AtWrite, uint64(p.Off))
	}
	put(live.AtWriteLen, uint64(len(f.writing)))
	put(live.AtWritePos, uint64(f.end-int64(len(f.writing))))
	tx.Bytes(live.AtFiles+int64(i)*live.FileSize, b[:])
	return nil
}

// free frees the regions of buffers that are no longer in use.
func (f *fileWriter) free() {
	b := &f.live
	kept := b.regions[:0]
	for _, p := range b.regions {
		used := false
		for _, buf := range [][]byte{f.buf, f.spare, f.writing} {
			used = used || cap(buf) > 0 && &p.Mem[0] == &buf[:1][0]
		}
		if used {
			kept = append(kept, p)
		} else {
			b.file.Free(p)
		}
	}
	clear(b.regions[len(kept):])
	b.regions = kept
}
