package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
)

// commit makes what was added to the files' buffers, and everything that changed with it, part
// of what Finish finds if the program ends now. t is the thread whose part a draft added, or
// nil. mu is held.
func (f *Files) commit(s *Stream, p buffers.Part, d *draft) { f.commitAs(s, p, d, live.StateRecording) }

func (f *Files) commitAs(s *Stream, p buffers.Part, d *draft, state uint64) {
	l := f.live
	if l == nil || f.Dump {
		return
	}
	tx := l.Tx()
	old, err := f.transact(l, tx, s, p, d)
	if state == live.StateEnding {
		tx.Put(live.AtState, state)
	}
	if err == nil && !tx.Commit() {
		err = fmt.Errorf("%w: for a transaction", live.ErrFull)
	}
	if err != nil {
		f.loseLive(err)
		return
	}
	for _, o := range f.all() {
		o.free()
	}
	l.Free(old)
	f.Registry.Trim()
}

func (f *Files) transact(l *live.File, tx *live.Tx, s *Stream, p buffers.Part, d *draft) (old *live.Region, err error) {
	for i, o := range f.all() {
		if o.to == nil {
			continue
		}
		if err = o.commit(tx, i); err != nil {
			return nil, err
		}
	}
	if s != nil {
		f.latest = max(f.latest, s.latest)
		tx.Put(live.AtLatest, uint64(f.latest))
		if old, err = s.commit(l, tx, p, d.low); err != nil {
			return nil, err
		}
	}
	f.Registry.Commit(tx)
	return old, nil
}

// KeepIn keeps what is not written yet in a live file, from now on.
func (f *Files) KeepIn(l *live.File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live = l
	for _, o := range f.all() {
		if o.to != nil {
			o.live.file = l
			o.buf, o.spare = append(o.newBuffer(o.room), 0)[:0], nil // with its first page
		}
	}
	f.commit(nil, buffers.Part{}, nil)
	if f.live != nil {
		l.Word(live.AtState).Store(live.StateRecording)
	}
}

// endLive removes the live file: everything worth keeping is in the trace.
func (f *Files) endLive() {
	l := f.live
	if l == nil {
		return
	}
	f.live = nil
	l.Word(live.AtState).Store(live.StateOver)
	// If it cannot be removed, its state is StateOver.
	_ = l.Remove()
}

// loseLive continues without the live file.
func (f *Files) loseLive(err error) {
	f.endLive()
	f.Host.Warn(fmt.Errorf("what is not written yet is lost if the program crashes: %w", err))
}

// reopenRoom is how many bytes are gathered before they are written to files that were reopened.
const reopenRoom = 1 << 20

// Reopen opens the files of a recording whose program ended, with the bytes that were waiting to
// be written, from its live file. to makes an output of each file. If dry is set, nothing is
// written: what is to be written is compared with what the files have already.
func Reopen(o Options, rest *live.Rest, to func(*os.File) OutFile, dry bool) (*Files, error) {
	f := &Files{Options: o}
	f.reopened = true
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
	if f.times.to != nil {
		var err error
		if f.fixed, err = fixedTimes(f.times.name, waiting[2]); err != nil {
			_ = f.Close()
			return nil, err
		}
		f.pages = format.NewTimesWriter(f.times.size(), cells(f.index.size()), f.fixed)
	}
	f.newDrafts(1)
	if err := f.Write(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// fixedTimes reports whether a file of times, or what is to be its content, is of version 1.
func fixedTimes(path string, waiting []byte) (bool, error) {
	head := make([]byte, format.TimesHeaderSize)
	n := 0
	f, err := os.Open(path)
	if err == nil {
		n, err = f.ReadAt(head, 0)
		_ = f.Close()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, io.EOF):
		n = copy(head, waiting) // the header is not written yet
	case err != nil:
		return false, err
	}
	_, fixed, err := format.DecodeTimesHeader(head[:n])
	return fixed, format.At(err, path, 0)
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
