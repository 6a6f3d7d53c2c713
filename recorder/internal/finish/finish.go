// Package finish finishes the recordings of programs that ended without stopping them: it adds to
// the files of a trace what is in the live file beside them.
package finish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/claim"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/remains"
	"tracex/recorder/internal/values"
)

type Result struct {
	Done    bool  // there was a recording to finish
	Bytes   int64 // added to the data file
	Threads int64 // with recorded data that was in no file
	Short   int64 // threads that lack their last trace points
}

// Finish finishes the recording into the data file at path, if there is a live file. to makes
// an output of each of the trace's files.
func Finish(path string, to func(*os.File) files.OutFile) (Result, error) {
	if _, err := os.Lstat(path + format.LiveSuffix); errors.Is(err, fs.ErrNotExist) {
		return Result{}, nil
	}
	// While the trace is claimed, no recording into it can begin.
	claimed, err := claim.File(path)
	switch {
	case errors.Is(err, claim.ErrInUse):
		return Result{}, heldBy(path)
	case err != nil && !errors.Is(err, claim.ErrUnclaimed):
		return Result{}, err
	case claimed != nil:
		defer claimed.Close()
	}
	rest, err := live.Open(path + format.LiveSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return Result{}, nil
	}
	if err != nil {
		return Result{}, err
	}
	// What the files have already must be what they would get: check that first, before
	// anything is changed.
	var done Result
	for _, dry := range []bool{true, false} {
		z := &finisher{rest: rest, options: files.Options{Path: path}, dry: dry, to: to}
		if err := z.finish(); err != nil {
			return Result{}, errors.Join(err, rest.Close())
		}
		done = z.done
	}
	// If the file cannot be removed, the next Finish does the same again.
	return done, rest.Remove()
}

// heldBy returns an error that says what holds a trace: the program that records it, or one
// that finishes it.
func heldBy(path string) error {
	rest, err := live.Open(path + format.LiveSuffix)
	if err == nil {
		err = errors.Join(live.ErrFinishing, rest.Close()) // it is about to start, or done
	}
	if errors.Is(err, fs.ErrNotExist) {
		return live.ErrFinishing
	}
	return err
}

// finisher finishes one recording, once.
type finisher struct {
	rest    *live.Rest
	options files.Options
	dry     bool // nothing is written
	to      func(*os.File) files.OutFile
	clock   clock.Clock
	done    Result
}

// thread is a thread with what it had published and what is in no block yet.
type thread struct {
	stream *files.Stream
	left   *remains.Thread
}

func (z *finisher) finish() (err error) {
	if z.rest.Uint(live.AtState) == live.StateOver {
		return nil
	}
	defer remains.Guard(&err)
	o := &z.options
	block := z.rest.Uint(live.AtBlock)
	if block < buffers.First || block > buffers.MaxSize {
		return fmt.Errorf("%w: a block size of %d bytes", live.ErrDamaged, block)
	}
	z.done.Done = true
	o.BlockSize, o.Host = int(block), host{}
	version, err := remains.Version(z.rest)
	if err != nil {
		return err
	}
	o.Layout = values.LayoutOf(int(version))
	threads, err := z.restore()
	if err != nil {
		return err
	}
	had := int64(0)
	if st, err := os.Stat(o.Path); err == nil {
		had = st.Size()
	}
	f, err := files.Reopen(*o, z.rest, z.to, z.dry)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // an error of Finish was returned
	defer func() { z.done.Bytes = f.Saved().Data - had }()
	if z.rest.Uint(live.AtState) == live.StateEnding {
		return nil
	}
	for _, t := range threads {
		if err := z.put(f, t); err != nil {
			return err
		}
	}
	return f.Finish()
}

// restore returns the threads, and restores clock and names.
func (z *finisher) restore() (threads []thread, err error) {
	left, err := remains.Threads(z.rest)
	if err != nil {
		return nil, err
	}
	for _, l := range left {
		s, err := files.Restore(z.rest, l)
		if err != nil {
			return nil, err
		}
		open := s.Open()
		if l.Chain(func(p buffers.Part) (good buffers.Part) {
			good, open = p.Sound(z.options.Layout.Version, l.ID, open)
			return good
		}) {
			z.done.Short++
		}
		if l.List.First != nil {
			z.done.Threads++
		}
		threads = append(threads, thread{s, l})
	}
	if err := z.restoreClock(left); err != nil {
		return nil, err
	}
	return threads, z.restoreNames()
}

// restoreClock restores the recorder's clock as of the last moment in the live file.
func (z *finisher) restoreClock(left []*remains.Thread) error {
	flags := z.rest.Uint(live.AtFlags)
	if flags&live.HasTimes == 0 {
		return nil
	}
	z.options.Clock = &z.clock
	last := uint64(0)
	for _, t := range left {
		last = max(last, t.LastReading(), t.Reading(z.rest))
	}
	return z.clock.Restore(z.rest, flags&live.HasCounter != 0, last)
}

// restoreNames restores what is in no block yet.
func (z *finisher) restoreNames() error {
	version := z.options.Layout.Version
	data, cells, err := remains.Names(z.rest, version)
	if err != nil {
		return err
	}
	z.options.Registry = registry.New(version, nil)
	z.options.Registry.Restore(z.rest, data, cells)
	return nil
}

// put puts what a thread had published into the files, with the note of the points that it had
// dropped, and ends it.
func (z *finisher) put(f *files.Files, t thread) error {
	var swap sync.Mutex // no other goroutine uses the thread
	for c := t.left.List.First; c != nil; c = c.Next {
		p := c.Pending()
		t.stream.Rebase(&z.clock, &swap, p)
		if err := f.Put(t.stream, p, false); err != nil {
			return err
		}
	}
	ended := t.left.Over
	if ended == 0 && z.options.Clock != nil {
		ended = z.clock.Read()
	}
	t.stream.End(&z.clock, ended)
	var note buffers.Part
	if missing := int64(z.rest.Uint(t.left.At + live.ThreadDropped)); missing != 0 {
		b, event := make([]byte, values.DroppedRoom), int32(z.rest.Uint(t.left.At+live.ThreadNote))
		n := z.options.Layout.PutDropped(b, t.left.ID, event, z.options.Registry.Dropped(), missing)
		note = buffers.Part{Data: b[:n], Missing: missing}
	}
	return f.Put(t.stream, note, true)
}

// host has nothing to tell: the files keep their error.
type host struct{}

func (host) Fail(error)    {}
func (host) Warn(error)    {}
func (host) Dropped(int64) {}
func (host) Wake() bool    { return false }
