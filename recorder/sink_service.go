package recorder

import (
	"errors"
	"fmt"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/sink"
)

// Service is a way to reach a tracing service, for [Config.Service]. Package recorder/shared
// makes one.
type Service interface{ sink.Opener }

// ErrNotImported: recording through shared memory was requested, but the program does not
// import the package that does it.
var ErrNotImported = errors.New(`recording through shared memory needs import _ "tracex/recorder/shared" in the program`)

// serviceSink is the sink of a recorder that records to a tracing service: it passes parts to a
// sink of another package, which registered itself.
type serviceSink struct {
	r  *Recorder
	to sink.Sink
}

// newService opens the sink that the config names, or else the registered one.
func newService(r *Recorder) (*serviceSink, error) {
	c := &r.config
	opener := sink.Opener(c.Service)
	if c.Service == nil {
		opener = sink.Registered()
	}
	if opener == nil {
		return nil, fmt.Errorf("recorder: %w", ErrNotImported)
	}
	to, err := opener.Open(host{r}, sink.Options{
		Version: r.layout.Version, Policy: c.OnFull, NoTimes: c.NoTimes, TrackEvents: c.TrackEvents, NoLive: c.NoLive,
		LiveLimit: c.liveLimit(), ServiceTimeout: c.ServiceTimeout, NeedsService: c.needsService,
	})
	if err != nil {
		return nil, err
	}
	return &serviceSink{r, to}, nil
}

func (s *serviceSink) put(t *Thread, p buffers.Part, last bool) {
	if s.r.refuses(t) {
		p = buffers.Part{}
	}
	as := sink.Thread{ID: t.file.ID, Name: t.file.Name, Ended: t.file.Ended, Slot: t.file.Live.Slot()}
	left, err := s.to.Put(as, p, last)
	if err == nil {
		return
	}
	s.r.torn(t, err)
	if len(left.Data) > 0 {
		good, _ := left.Sound(t.r.layout.Version, t.file.ID, s.to.Opened(t.file.ID))
		_, _ = s.to.Put(as, good, last) // the fault is not in it
	}
}

func (s *serviceSink) write() {}

func (s *serviceSink) opened(t *Thread) []format.Class { return s.to.Opened(t.file.ID) }

func (s *serviceSink) finish() { s.to.Finish() }

func (s *serviceSink) saved() Saved {
	parts, bytes := s.to.Saved()
	return Saved{Blocks: parts, DataBytes: bytes}
}

// host is the recorder as a sink of another package sees it.
type host struct{ r *Recorder }

func (h host) Clock() *clock.Clock          { return &h.r.clock }
func (h host) Class(kind byte) format.Class { return h.r.layout.Class(kind) }
func (h host) Sweep()                       { h.r.sweep(onDemand) }
func (h host) Dropped(n int64)              { h.r.counts.dropped.Add(n) }
func (h host) Fail(err error)               { h.r.problems.fail(err) }
func (h host) Warn(err error)               { h.r.problems.warn(err) }
func (h host) NameDropped()                 { h.r.registry.Dropped() }
func (h host) Tell()                        { h.r.problems.tell() }

func (h host) TakeNames(data []byte, cells []format.Cell) ([]byte, []format.Cell) {
	return h.r.registry.Take(data, cells)
}

func (h host) PutNote(b []byte, thread, event int32, missing int64) int {
	return h.r.layout.PutDropped(b, thread, event, h.r.registry.Dropped(), missing)
}

func (h host) Threads() int64 {
	return h.r.threads.begun()
}

func (h host) KeepIn(l *live.File) error {
	if err := h.r.describeLive(l); err != nil {
		return err
	}
	h.r.live = l
	return nil
}
