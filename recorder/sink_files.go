package recorder

import (
	"fmt"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/files"
)

// fileSink is the sink of a recorder that writes the trace's files.
type fileSink struct {
	r  *Recorder
	to *files.Files
}

// newFiles creates the files, and a live file if that is wanted and possible.
func newFiles(r *Recorder) (*fileSink, error) {
	o := r.config.fileOptions()
	o.Layout, o.Registry, o.Host = r.layout, r.registry, fileHost{r}
	if !r.config.NoTimes {
		o.Clock = &r.clock
	}
	to, err := files.New(o)
	if err != nil {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	if !r.config.NoLive && !o.Dump {
		r.startLive(to)
	}
	return &fileSink{r, to}, nil
}

// fileOptions returns what the config says of the files.
func (c *Config) fileOptions() files.Options {
	return files.Options{
		Path: c.Path, Overwrite: c.Overwrite, Dump: c.Strategy == CollectAndDump, BlockSize: c.BlockSize, MaxMemory: c.MaxMemory, Create: c.create,
	}
}

func (s *fileSink) put(t *Thread, p buffers.Part, last bool) {
	if s.r.refuses(t) {
		p = buffers.Part{}
	}
	if err := s.to.Put(&t.file, p, last); err != nil {
		s.r.torn(t, err)
		good, _ := p.Sound(s.r.layout.Version, t.file.ID, s.opened(t))
		_ = s.to.Put(&t.file, good, last) // the fault is not in it
	}
}

func (s *fileSink) opened(t *Thread) []format.Class { return t.file.Open() }

func (s *fileSink) write() { _ = s.to.Write() } // the error is kept

func (s *fileSink) finish() { _ = s.to.Finish() } // the error is kept

func (s *fileSink) saved() Saved {
	n := s.to.Saved()
	return Saved{Blocks: n.Blocks, DataBytes: n.Data, IndexBytes: n.Index, TimeBytes: n.Times}
}

// fileHost is the recorder as its files see it.
type fileHost struct{ r *Recorder }

func (h fileHost) Dropped(n int64) { h.r.counts.dropped.Add(n) }
func (h fileHost) Warn(err error)  { h.r.problems.warn(fmt.Errorf("recorder: %w", err)) }

func (h fileHost) Fail(err error) {
	h.r.state.CompareAndSwap(running, failed)
	h.r.problems.fail(fmt.Errorf("recorder: %w", err))
}

func (h fileHost) Wake() bool {
	if h.r.worker.wake == nil {
		return false
	}
	h.r.worker.kick()
	return true
}
