package recorder

import (
	"fmt"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/files"
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
