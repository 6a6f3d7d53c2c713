package recorder

import (
	"fmt"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/sink"
)

// serviceSink is the sink of a recorder that records to a tracing service: it passes parts to a
// sink of another package, which registered itself.
type serviceSink struct {
	f  *flusher
	to sink.Sink
}

// newService opens the sink that the config names, or else the registered one.
func newService(f *flusher) (*serviceSink, error) {
	c := &f.config
	opener := sink.Opener(c.Service)
	if c.Service == nil {
		opener = sink.Registered()
	}
	if opener == nil {
		return nil, fmt.Errorf("recorder: %w", ErrNotImported)
	}
	to, err := opener.Open(host{f}, sink.Options{
		Version: f.layout.Version, Policy: c.OnFull, NoTimes: c.NoTimes, TrackEvents: c.TrackEvents, NoLive: c.NoLive,
		LiveLimit: c.liveLimit(), ServiceTimeout: c.ServiceTimeout, NeedsService: c.needsService,
	})
	if err != nil {
		return nil, err
	}
	return &serviceSink{f, to}, nil
}

func (s *serviceSink) put(b *buffer, p buffers.Part, last bool) {
	if s.f.refuses(b) {
		p = buffers.Part{}
	}
	as := sink.Thread{ID: b.file.ID, Name: b.file.Name, Ended: b.file.Ended, Slot: b.file.Live.Slot()}
	left, err := s.to.Put(as, p, last)
	if err == nil {
		return
	}
	s.f.torn(b, err)
	if len(left.Data) > 0 {
		good, _ := left.Sound(s.f.layout.Version, b.file.ID, s.to.Opened(b.file.ID))
		_, _ = s.to.Put(as, good, last) // the fault is not in it
	}
}

func (s *serviceSink) write() {}

func (s *serviceSink) opened(b *buffer) []format.Class { return s.to.Opened(b.file.ID) }

func (s *serviceSink) finish() { s.to.Finish() }

func (s *serviceSink) saved() Saved {
	parts, bytes := s.to.Saved()
	return Saved{Blocks: parts, DataBytes: bytes}
}

// host is the recorder as a sink of another package sees it.
type host struct{ f *flusher }

func (h host) Clock() *clock.Clock          { return &h.f.clock }
func (h host) Class(kind byte) format.Class { return h.f.layout.Class(kind) }
func (h host) Sweep()                       { h.f.sweep(onDemand) }
func (h host) Dropped(n int64)              { h.f.counts.dropped.Add(n) }
func (h host) Fail(err error)               { h.f.problems.fail(err) }
func (h host) Warn(err error)               { h.f.problems.warn(err) }
func (h host) NameDropped()                 { h.f.registry.Dropped() }
func (h host) Tell()                        { h.f.problems.tell() }

func (h host) TakeNames(data []byte, cells []format.Cell) ([]byte, []format.Cell) {
	return h.f.registry.Take(data, cells)
}

func (h host) PutNote(b []byte, thread, event int32, missing int64) int {
	return h.f.layout.PutDropped(b, thread, event, h.f.registry.Dropped(), missing)
}

func (h host) Threads() int64 {
	return h.f.threads.begun()
}

func (h host) KeepIn(l *live.File) error {
	if err := h.f.describeLive(l); err != nil {
		return err
	}
	h.f.live = l
	return nil
}
