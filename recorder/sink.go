package recorder

import (
	"fmt"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/files"
)

// partSink is where recorded bytes go. The encoder before it is the same for all sinks: a
// [Thread] writes objects and marks into its chunks; when a chunk is full, or by the timer, its
// published part is put into the sink. The state that a sink keeps of a thread between parts is
// in its buffer.
//
// A reference object must precede its first user, or be put with it. So a sink takes the
// pending objects of the registry when it decides where a part goes, not before, and puts them
// in front of that part. Parts of one thread are put in order, those of different threads
// concurrently.
//
// Lock order: a thread's mu, the sink's own, the registry's.
type partSink interface {
	// put takes a part. b.mu is held, and the part's chunk does not change until put returns.
	// If last is set, nothing of b follows, and the open containers ended at the reading
	// b.file.Ended.
	put(b *buffer, p buffers.Part, last bool)
	// write writes the parts that were put.
	write()
	// opened returns the classes of the containers that a thread has open after the parts put
	// so far, outermost first. b.mu is held.
	opened(b *buffer) []format.Class
	// finish writes, and ends the trace. Parts put later are ignored.
	finish()
	// saved returns how much is written.
	saved() Saved
}

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
