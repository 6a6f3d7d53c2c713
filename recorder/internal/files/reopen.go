package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"tracex/recorder/internal/live"
)

// reopenRoom is how many bytes are gathered before they are written to files that were reopened.
const reopenRoom = 1 << 20

// Reopen opens the files of a recording whose program ended, with the bytes that were waiting to
// be written, from its live file. to makes an output of each file. If dry is set, nothing is
// written: what is to be written is compared with what the files have already.
func Reopen(o Options, rest *live.Rest, to func(*os.File) OutFile, dry bool) (*Files, error) {
	f := &Files{Options: o}
	f.latest = int64(rest.Uint(live.AtLatest))
	f.named(o.Path)
	f.data.room, f.index.room, f.times.room = reopenRoom, reopenRoom, reopenRoom
	f.data.most, f.index.most, f.times.most = f.data.room, f.index.room, f.times.room
	wanted := f.wanted()
	waiting := make([][]byte, len(wanted))
	for i, o := range wanted {
		var err error
		if waiting[i], err = o.reopen(rest, i, to, dry); err != nil {
			_ = f.Close()
			return nil, err
		}
	}
	for i, o := range wanted {
		o.end = o.pos
		o.buf = append(make([]byte, 0, max(o.room, len(waiting[i]))), waiting[i]...)
	}
	f.newDrafts(1)
	if err := f.Write(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// reopen opens a file and returns the bytes waiting to be written after its certain content.
func (o *fileWriter) reopen(rest *live.Rest, i int, to func(*os.File) OutFile, dry bool) (waits []byte, err error) {
	at := live.AtFiles + int64(i)*live.FileSize
	for _, off := range []int64{live.AtWrite, live.AtFill} {
		b, err := rest.Bytes(int64(rest.Uint(at+off)), int64(rest.Uint(at+off+8)))
		if err != nil {
			return nil, err
		}
		waits = append(waits, b...)
	}
	o.pos = int64(rest.Uint(at + live.AtWritePos))
	o.good = o.pos
	file, err := os.OpenFile(o.name, os.O_RDWR, 0)
	if i > 0 && errors.Is(err, fs.ErrNotExist) {
		o.to = nothing{} // an index can be rebuilt from the data, and times are optional
		return waits, nil
	}
	if err != nil {
		return nil, err
	}
	o.to = to(file)
	if dry {
		o.to = &comparison{File: file, name: o.name}
	}
	st, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() < o.pos || o.pos < 0 {
		return nil, fmt.Errorf("%s has %d bytes, but had %d when its program ended: it was replaced or cut short", o.name, st.Size(), o.pos)
	}
	return waits, nil
}

// Close closes the files as they are.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	var errs []error
	for _, o := range f.all() {
		if o.to != nil {
			errs = append(errs, o.to.Close())
		}
	}
	return errors.Join(errs...)
}

// Extended is an output that stays as it is if writing to it fails: what it got is right, and
// the rest can follow later.
type Extended struct{ *os.File }

// Truncate does nothing.
func (Extended) Truncate(int64) error { return errors.ErrUnsupported }

// nothing is an output for a file that is not wanted.
type nothing struct{}

func (nothing) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }
func (nothing) Truncate(int64) error                   { return errors.ErrUnsupported }
func (nothing) Close() error                           { return nil }

// comparison is an output that compares the content of a file with what is to be written to it.
// The file may have less: the program, or another Finish, was about to write it.
type comparison struct {
	*os.File
	name string
	end  int64 // of what is to be written
}

func (c *comparison) WriteAt(p []byte, at int64) (int, error) {
	c.end = max(c.end, at+int64(len(p)))
	had := make([]byte, len(p))
	n, err := c.ReadAt(had, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if !bytes.Equal(had[:n], p[:n]) {
		return 0, c.changed(at)
	}
	return len(p), nil
}

func (c *comparison) Truncate(int64) error { return errors.ErrUnsupported }

func (c *comparison) Close() error {
	st, err := c.Stat()
	if err == nil && st.Size() > c.end && c.end > 0 {
		err = c.changed(c.end)
	}
	return errors.Join(err, c.File.Close())
}

func (c *comparison) changed(at int64) error {
	return fmt.Errorf("%s was changed since its program ended, at or after offset %d", c.name, at)
}
