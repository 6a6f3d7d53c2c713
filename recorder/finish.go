package recorder

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
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/remains"
	"tracex/recorder/internal/values"
)

// Finished says what [Finish] did.
type Finished struct {
	Done    bool  // there was a recording to finish
	Bytes   int64 // added to the data file
	Threads int64 // with recorded data that was in no file
	// Short is how many threads lack their last trace points: what was kept of them is damaged,
	// or the recorder had no room to keep it.
	Short int64
}

// Errors of [Finish] while another process uses the trace.
var (
	ErrRecording = live.ErrInUse     // the recording is still running
	ErrFinishing = live.ErrFinishing // another process finishes it
)

// Finish finishes the recording of a program that ended without [Recorder.Stop]: it was killed,
// called os.Exit or log.Fatal, or panicked. What it had recorded is next to the trace, in a
// file of the same name with [LiveSuffix]. Finish adds to the data, index and times what they
// lack, with the open calls as unfinished, and their ends; then it removes that file. Without
// such a file it does nothing.
//
// If it fails the live file remains, and Finish can be called again. The same holds if it is
// interrupted.
func Finish(path string) (Finished, error) {
	return finish(path, func(f *os.File) output { return unended{f} })
}

// heldBy returns an error that says what holds a trace: the program that records it, or one
// that finishes it.
func heldBy(path string) error {
	rest, err := live.Open(path + LiveSuffix)
	if err == nil {
		err = errors.Join(live.ErrFinishing, rest.Close()) // it is about to start, or done
	}
	if errors.Is(err, fs.ErrNotExist) {
		return live.ErrFinishing
	}
	return err
}

// finish is Finish; tests have outputs of their own.
func finish(path string, to func(*os.File) output) (Finished, error) {
	if _, err := os.Lstat(path + LiveSuffix); errors.Is(err, fs.ErrNotExist) {
		return Finished{}, nil
	}
	// While the trace is claimed, no recording into it can begin.
	claimed, err := claim(path)
	switch {
	case errors.Is(err, ErrInUse):
		return Finished{}, fmt.Errorf("recorder: finishing %s: %w", path, heldBy(path))
	case err != nil && !errors.Is(err, errUnclaimed):
		return Finished{}, fmt.Errorf("recorder: finishing %s: %w", path, err)
	case claimed != nil:
		defer claimed.Close()
	}
	rest, err := live.Open(path + LiveSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return Finished{}, nil
	}
	if err != nil {
		return Finished{}, fmt.Errorf("recorder: finishing %s: %w", path, err)
	}
	// What the files have already must be what they would get: check that first, before
	// anything is changed.
	var z *finisher
	for _, dry := range []bool{true, false} {
		z = &finisher{rest: rest, path: path, dry: dry, to: to}
		if err := z.finish(); err != nil {
			return Finished{}, fmt.Errorf("recorder: finishing %s: %w", path, errors.Join(err, rest.Close()))
		}
	}
	// If the file cannot be removed, the next Finish does the same again.
	if err := rest.Remove(); err != nil {
		return z.done, fmt.Errorf("recorder: finishing %s: %w", path, err)
	}
	return z.done, nil
}

// finisher restores from a live file the recorder that it was, and stops that.
type finisher struct {
	rest *live.Rest
	path string
	dry  bool // nothing is written
	to   func(*os.File) output
	r    *Recorder
	f    *files
	done Finished
	had  int64 // bytes of the data file
}

func (z *finisher) finish() (err error) {
	if z.rest.Uint(live.AtState) == live.StateOver {
		return nil
	}
	defer remains.Guard(&err)
	flags, block := z.rest.Uint(live.AtFlags), z.rest.Uint(live.AtBlock)
	if block < buffers.First || block > buffers.MaxSize {
		return fmt.Errorf("%w: a block size of %d bytes", live.ErrDamaged, block)
	}
	z.done.Done = true
	z.r = &Recorder{config: Config{
		Path: z.path, NoTimes: flags&live.HasTimes == 0, Strategy: Streaming, BlockSize: int(block), MaxMemory: 1 << 40,
	}}
	if z.r.layout, err = z.layout(); err != nil {
		return err
	}
	z.r.registry = registry.New(z.r.layout.Version, nil)
	z.r.pool = buffers.NewPool(z.r.config.MaxMemory, z.r.config.BlockSize, nil, nil)
	z.r.state.Store(stopped)
	threads, err := z.restore(flags)
	if err != nil {
		return err
	}
	defer z.closeFiles()
	if err := z.files(); err != nil {
		return err
	}
	if z.rest.Uint(live.AtState) == live.StateEnding {
		z.done.Bytes = z.f.data.pos - z.had
		return nil
	}
	for _, t := range threads {
		z.r.end(t)
	}
	if err := z.f.finish(); err != nil {
		return err
	}
	z.done.Bytes = z.f.data.pos - z.had
	return z.r.problems.first()
}

// layout returns the layout for the version of the live file.
func (z *finisher) layout() (*values.Layout, error) {
	version, err := remains.Version(z.rest)
	if err != nil {
		return nil, err
	}
	return layoutOf(int(version))
}

// restore gives the recorder its threads, clock and names.
func (z *finisher) restore(flags uint64) (threads []*Thread, err error) {
	left, err := remains.Threads(z.rest)
	if err != nil {
		return nil, err
	}
	for _, l := range left {
		t, err := z.thread(l)
		if err != nil {
			return nil, err
		}
		if z.chain(t, l) {
			z.done.Short++
		}
		if t.full.First != nil {
			z.done.Threads++
		}
		threads = append(threads, t)
	}
	if err := z.clock(left, flags); err != nil {
		return nil, err
	}
	return threads, z.names()
}

// finishRoom is how many bytes are gathered before they are written.
const finishRoom = 1 << 20

// files opens the files at the recorder's positions, and gives them the bytes that were waiting
// to be written.
func (z *finisher) files() error {
	c := &z.r.config
	f := &files{r: z.r, latest: int64(z.rest.Uint(live.AtLatest))}
	z.f, z.r.sink = f, f
	f.data.name, f.index.name, f.times.name = c.Path, c.Path+format.IndexSuffix, c.Path+format.TimesSuffix
	f.data.room, f.index.room, f.times.room = finishRoom, finishRoom, finishRoom
	f.data.most, f.index.most, f.times.most = f.data.room, f.index.room, f.times.room
	clock := &z.r.clock
	all := f.all()
	if c.NoTimes {
		all, clock = all[:2], nil
	}
	waiting := make([][]byte, len(all))
	for i, o := range all {
		var err error
		if waiting[i], err = z.open(o, i); err != nil {
			return err
		}
	}
	for i, o := range all {
		o.end = o.pos
		o.buf = append(make([]byte, 0, max(o.room, len(waiting[i]))), waiting[i]...)
	}
	f.current = block{f: f, start: f.data.pos, behind: f.data.pos} // it is whole
	f.drafts = make(chan *draft, 1)
	f.drafts <- &draft{clock: clock, layout: z.r.layout}
	return f.write()
}

// open opens a file and returns the bytes waiting to be written after its certain content.
func (z *finisher) open(o *outfile, i int) (waits []byte, err error) {
	at := live.AtFiles + int64(i)*live.FileSize
	for _, off := range []int64{live.AtWrite, live.AtFill} {
		b, err := z.rest.Bytes(int64(z.rest.Uint(at+off)), int64(z.rest.Uint(at+off+8)))
		if err != nil {
			return nil, err
		}
		waits = append(waits, b...)
	}
	o.pos = int64(z.rest.Uint(at + live.AtWritePos))
	o.good = o.pos
	file, err := os.OpenFile(o.name, os.O_RDWR, 0)
	if i > 0 && errors.Is(err, fs.ErrNotExist) {
		o.to = nothing{} // an index can be rebuilt from the data, and times are optional
		return waits, nil
	}
	if err != nil {
		return nil, err
	}
	o.to = z.to(file)
	if z.dry {
		o.to = &comparison{File: file, name: o.name}
	}
	st, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if i == 0 {
		z.had = st.Size()
	}
	if st.Size() < o.pos || o.pos < 0 {
		return nil, fmt.Errorf("%s has %d bytes, but had %d when its program ended: it was replaced or cut short", o.name, st.Size(), o.pos)
	}
	return waits, nil
}

// unended is an output that stays as it is if writing to it fails: what it got is right, and
// the rest can follow later.
type unended struct{ *os.File }

func (unended) Truncate(int64) error { return errors.ErrUnsupported }

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

func (z *finisher) closeFiles() {
	if z.f == nil || z.f.closed {
		return
	}
	for _, o := range z.f.all() {
		if o.to != nil {
			_ = o.to.Close() // the error was reported before
		}
	}
}
