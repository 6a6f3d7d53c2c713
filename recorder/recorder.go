package recorder

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"sync"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/gotypes"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/sink"
)

// Start begins to record. It fails if a file exists already or cannot be made, or if the
// environment names a service that does not answer and there is no Path to record to instead:
// see [Automatic].
func Start(c Config) (*Recorder, error) {
	if c.Strategy != Automatic || os.Getenv(sink.ServiceVariable) == "" {
		return launch(c)
	}
	// If the recording goes to the service, OnError is told of the service's problems;
	// otherwise it is told once that the recording does not go there.
	told := listener{to: c.OnError}
	offered := c
	offered.Strategy, offered.needsService, offered.OnError = SharedMemory, true, told.hear
	r, err := launch(offered)
	if err == nil {
		told.open()
		return r, nil
	}
	if c.Path == "" {
		return nil, fmt.Errorf("%w (%s names it, and the config names no path to record to instead)", err, sink.ServiceVariable)
	}
	c.Strategy = Streaming
	r, failed := launch(c)
	if failed != nil {
		return nil, failed
	}
	if c.OnError != nil {
		// Its owner may wait for what Start returns.
		go c.OnError(fmt.Errorf("recording to %s instead: %w", r.File(), err))
	}
	return r, nil
}

// listener keeps the last error until it is opened.
type listener struct {
	to func(error) // may be nil

	mu     sync.Mutex
	opened bool
	kept   error
}

func (l *listener) hear(err error) {
	l.mu.Lock()
	if !l.opened {
		l.kept = err
	}
	opened := l.opened
	l.mu.Unlock()
	if opened && l.to != nil {
		l.to(err)
	}
}

// open passes on the kept error, and all later ones.
func (l *listener) open() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened = true
	if l.kept != nil && l.to != nil {
		go l.to(l.kept) // its owner may wait for what Start returns
	}
}

// File returns the path of the data file, with %p and %t in [Config.Path] replaced; "" if the
// recording goes to a service, or nowhere.
func (r *Recorder) File() string {
	if r == nil || r.config.Strategy == SharedMemory {
		return ""
	}
	return r.config.Path
}

// launch is Start with a strategy that is not Automatic.
func launch(c Config) (*Recorder, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Recorder{flusher: flusher{config: c, layout: c.layout}}
	r.problems.to = c.OnError
	r.registry = registry.New(c.layout.Version, r.reserveName)
	r.types = gotypes.New(r.registry, r.reserve)
	if !c.NoTimes {
		r.clock.Begin(c.counter(), c.timeSource, r.clockRestarted)
	}
	r.events.Store(c.events)
	memory, err := r.open()
	if err != nil {
		return nil, err
	}
	r.pool = buffers.NewPool(memory, c.BlockSize, r.live, r.liveFull)
	r.kept.begin(r.pool)
	if r.live != nil {
		r.pool.Warm()
	}
	r.largest = r.pool.Largest()
	r.state.Store(running)
	writes := c.Strategy != CollectAndDump && (c.FlushInterval > 0 || c.OnFull == Drop)
	if writes {
		r.worker.wake = make(chan struct{}, 1)
	}
	if writes || r.clock.HasCounter() && c.FlushInterval > 0 {
		r.worker.done, r.worker.gone = make(chan struct{}), make(chan struct{})
		go r.run()
	}
	if s, ok := r.sink.(*serviceSink); ok {
		if err := s.to.Begin(); err != nil {
			r.abandon(s.to)
			return nil, err
		}
	}
	if r.problems.unwarned.Load() {
		go r.problems.tell() // OnError may wait for what Start returns
	}
	return r, nil
}

// open makes the sink, and returns how many bytes are left for goroutines' buffers.
func (r *Recorder) open() (memory int64, err error) {
	c := &r.config
	if c.Strategy == SharedMemory {
		s, err := newService(&r.flusher)
		if err == nil {
			r.sink = s
		}
		return c.MaxMemory, err
	}
	sink, err := newFiles(&r.flusher)
	if err != nil {
		return 0, err
	}
	r.sink = sink
	o := c.fileOptions()
	return c.MaxMemory - int64(o.Share(o.Drafts()))*int64(c.BlockSize), nil
}

// Flush writes everything that any goroutine recorded before, and returns what is saved then.
// It is for looking at the trace while the program runs. A collect-and-dump recorder saves
// nothing before its end.
func (r *Recorder) Flush() (Saved, error) {
	if r == nil || r.state.Load() == unstarted {
		return Saved{}, nil
	}
	if r.config.Strategy != CollectAndDump && r.state.Load() == running {
		before := r.counts.dropped.Load()
		r.sweep(onDemand)
		if s, ok := r.sink.(*serviceSink); ok {
			s.to.Flush()
			if r.counts.dropped.Load() > before {
				r.sweep(onDemand) // now there is room to say it
				s.to.Flush()
			}
		}
		r.problems.tell()
	}
	return r.saved(), r.problems.first()
}

func (r *Recorder) saved() Saved {
	threads := r.threads.begun()
	saved := r.sink.saved()
	saved.Threads, saved.Dropped, saved.Refused = threads, r.counts.dropped.Load(), r.counts.refused.Load()
	saved.Misuse = r.counts.misuse.saved(&r.registry.Misused)
	return saved
}

// FormatVersion is the version of the trace's format; 0 for a nil Recorder.
func (r *Recorder) FormatVersion() int {
	if r == nil || r.layout == nil {
		return 0
	}
	return int(r.layout.Version)
}

// Stop ends the recording: it writes everything that was recorded, and the end of the files.
// Threads do nothing from then on; their open calls and loops count as unfinished. Stop returns
// the first error of the recording.
func (r *Recorder) Stop() error {
	if r == nil || r.state.Load() == unstarted {
		return nil
	}
	defer r.problems.tell()
	r.stopping.Lock()
	defer r.stopping.Unlock()
	if r.state.Swap(stopped) == stopped {
		return r.problems.first()
	}
	threads := r.threads.close()
	r.worker.end()
	slices.SortFunc(threads, func(a, b *buffer) int { return cmp.Compare(a.file.ID, b.file.ID) })
	for _, t := range threads {
		r.end(t)
	}
	r.kept.forget()
	r.goroutines.Clear()
	r.sink.finish()
	return r.problems.first()
}

// Dump ends a collect-and-dump recording and writes it. If Dump is not called, Stop does it.
func (r *Recorder) Dump() error { return r.Stop() }

// abandon ends a recorder that found no service, and that the program never sees. When it
// returns, no session is offered anything.
func (r *Recorder) abandon(s sink.Sink) {
	r.state.Store(stopped)
	r.worker.end()
	s.Abandon()
}
