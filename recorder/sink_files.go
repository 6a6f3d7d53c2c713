package recorder

import (
	"errors"
	"fmt"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/live"
)

// fileSink is the sink of a recorder that writes the trace's files.
type fileSink struct {
	f  *flusher
	to *files.Files
}

// newFiles creates the files, and a live file if that is wanted and possible.
func newFiles(f *flusher) (*fileSink, error) {
	o := f.config.fileOptions()
	o.Layout, o.Registry, o.Host = f.layout, f.registry, fileHost{f}
	if !f.config.NoTimes {
		o.Clock = &f.clock
	}
	to, err := files.New(o)
	if err != nil {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	if !f.config.NoLive && !o.Dump {
		f.startLive(to)
	}
	return &fileSink{f, to}, nil
}

// fileOptions returns what the config says of the files.
func (c *Config) fileOptions() files.Options {
	return files.Options{
		Path: c.Path, Overwrite: c.Overwrite, Dump: c.Strategy == CollectAndDump, BlockSize: c.BlockSize, MaxMemory: c.MaxMemory, Create: c.create,
	}
}

func (s *fileSink) put(b *buffer, p buffers.Part, last bool) {
	if s.f.refuses(b) {
		p = buffers.Part{}
	}
	if err := s.to.Put(&b.file, p, last); err != nil {
		s.f.torn(b, err)
		good, _ := p.Sound(s.f.layout.Version, b.file.ID, s.opened(b))
		_ = s.to.Put(&b.file, good, last) // the fault is not in it
	}
}

func (s *fileSink) opened(b *buffer) []format.Class { return b.file.Open() }

func (s *fileSink) write() { _ = s.to.Write() } // the error is kept

func (s *fileSink) finish() { _ = s.to.Finish() } // the error is kept

func (s *fileSink) saved() Saved {
	n := s.to.Saved()
	return Saved{Blocks: n.Blocks, DataBytes: n.Data, IndexBytes: n.Index, TimeBytes: n.Times}
}

// fileHost is the recorder as its files see it.
type fileHost struct{ f *flusher }

func (h fileHost) Dropped(n int64) { h.f.counts.dropped.Add(n) }
func (h fileHost) Warn(err error)  { h.f.problems.warn(fmt.Errorf("recorder: %w", err)) }

func (h fileHost) Fail(err error) {
	h.f.state.CompareAndSwap(running, failed)
	h.f.problems.fail(fmt.Errorf("recorder: %w", err))
}

func (h fileHost) Wake() bool {
	if h.f.worker.wake == nil {
		return false
	}
	h.f.worker.kick()
	return true
}

// The live file is for finishing a recording whose program ended without Stop: see [Finish] and
// package live. It is next to the trace, is mapped into memory, and holds goroutines' buffers,
// what waits to be written, and what is known of threads, names and the clock. An object is in
// it once it is published. A block moves from a chunk to the bytes that wait to be written, and
// from there to the files, by one transaction each.
//
// A recorder that cannot have such a file, or runs out of room in it, continues in its own
// memory.

// LiveSuffix is appended to the data file's name to make that of the live file.
const LiveSuffix = format.LiveSuffix

// liveLimit returns how large the live file may become, in bytes: besides the buffers in use,
// those taken away from goroutines wait there for the garbage collector.
func (c *Config) liveLimit() int64 { return 4*min(c.MaxMemory, 1<<40) + 64<<20 }

// startLive creates the live file, if that is possible. Problems are reported.
func (f *flusher) startLive(to *files.Files) {
	l, err := live.CreateFor(f.config.Path, f.config.liveLimit())
	if err == nil {
		if err = f.describeLive(l); err == nil {
			f.live = l
			to.KeepIn(l)
		}
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		f.problems.warn(fmt.Errorf("recorder: what is not written yet is lost if the program crashes: %w", err))
	}
}

// describeLive writes what is known of the recorder into a live file, or removes the file.
func (f *flusher) describeLive(l *live.File) error {
	c := &f.config
	flags := uint64(0)
	if !c.NoTimes {
		flags |= live.HasTimes
		if f.clock.HasCounter() {
			flags |= live.HasCounter
		}
		l.Word(live.AtBase).Store(uint64(f.clock.Start().UnixNano()))
		if err := f.clock.KeepIn(l); err != nil {
			return errors.Join(err, l.Remove())
		}
	}
	l.Word(live.AtFlags).Store(flags)
	l.Word(live.AtBlock).Store(uint64(c.BlockSize))
	l.Word(live.AtFormat).Store(uint64(f.layout.Version))
	if err := f.registry.KeepIn(l); err != nil {
		return errors.Join(err, l.Remove())
	}
	return nil
}

// liveFull reports, once, that the live file has no more room.
func (f *flusher) liveFull() {
	f.problems.warn(errors.New("recorder: some of what is not written yet is lost if the program crashes: the live file has no room"))
	go f.problems.tell() // OnError may wait for what the caller does
}
