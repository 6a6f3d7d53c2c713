package recorder

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/live"
)

// Recorder records a program into a trace. All its methods may be called by any
// goroutine at any time, and do nothing on a nil Recorder.
//
// Its fields are its parts: each has its own state, and a lock where it needs one. What
// is left to the Recorder itself, and why it has more methods than a part, is the public
// interface, and what needs several parts at once: to flush threads into the sink, and to
// take memory away from some for others.
type Recorder struct {
	config   Config
	tag      uint32  // the upper half of its numbers, but for arities
	layout   *layout // of the version that is written
	registry registry
	pool     *buffers.Pool
	largest  int // largest chunk, in bytes
	clock    clock.Clock
	sink     partSink
	live     *live.File // what is not written yet; nil: it is in the program's own memory

	places     sync.Map // return address to Location
	types      sync.Map // reflect.Type to *typeInfo
	goroutines sync.Map // number to *Thread, of those that are found by a context
	kept       kept

	state   atomic.Int32
	events  atomic.Int64 // the next event id that no thread has
	threads threadList   // those whose last block is not written
	holders holders
	due     dueList // those that have set chunks aside, or are left
	aside   aside   // those that several goroutines used

	worker   worker
	stopping sync.Mutex // held while the trace is ended
	sweeping sync.Mutex // held while all threads are written
	sweepers []*Thread  // scratch of whoever sweeps

	counts   counts
	problems problems
}

// counts is what a recorder counts.
type counts struct {
	dropped atomic.Int64 // trace points
	refused atomic.Int64 // threads
	misuse  misuse
	lacking atomic.Int64 // bytes that the recorder's goroutine is to make free
}

// worker is the recorder's only goroutine, as others see it.
type worker struct {
	wake chan struct{} // nil: it writes nothing
	done chan struct{} // closed when it is to end; nil: there is none
	gone chan struct{} // closed when it has ended
}

// kick wakes the goroutine.
func (w *worker) kick() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// end ends the goroutine and waits until it has ended.
func (w *worker) end() {
	if w.done != nil {
		close(w.done)
		<-w.gone
	}
}

// States of a Recorder.
const (
	unstarted int32 = iota
	running
	stopped
	failed // the file cannot be written any more
)

// on reports whether anything is recorded.
func (r *Recorder) on() bool { return r != nil && r.state.Load() == running }

// launch is Start with a strategy that was chosen.
func launch(c Config) (*Recorder, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Recorder{config: c, tag: nextTag(), layout: c.layout}
	r.problems.to = c.OnError
	r.registry.version = c.layout.version
	if !c.NoTimes {
		r.clock.Begin(c.counter(), c.source, r.turn)
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
	if writes || r.clock.Counts() && c.FlushInterval > 0 {
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
		go r.problems.tell() // who is told may wait for what Start returns
	}
	return r, nil
}

// open makes the sink, and returns how many bytes are left for goroutines'
// buffers.
func (r *Recorder) open() (memory int64, err error) {
	c := &r.config
	if c.Strategy == SharedMemory {
		s, err := newService(r)
		if err == nil {
			r.sink = s
		}
		return c.MaxMemory, err
	}
	files, err := newFiles(r)
	if err != nil {
		return 0, err
	}
	r.sink = files
	return c.MaxMemory - int64(c.filesShare(cap(files.drafts)))*int64(c.BlockSize), nil
}

// run is the recorder's only goroutine. It writes what is due, until there is
// nothing more to write; where nothing is written before the end, it looks at the
// clock now and then. What it has to tell it tells when it is gone: OnError
// may wait for Stop, which waits for it.
func (r *Recorder) run() {
	defer r.problems.tell()
	defer close(r.worker.gone)
	var tick <-chan time.Time
	if r.config.FlushInterval > 0 {
		ticker := time.NewTicker(r.config.FlushInterval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for r.state.Load() == running {
		select {
		case <-r.worker.done:
			return
		case <-tick:
			if r.worker.wake == nil {
				r.clock.Refresh()
			} else {
				r.sweep(byTimer)
			}
		case <-r.worker.wake:
			r.sweepDue()
		}
	}
}

// Saved says how much of a recording is in its files. Dropped counts all trace
// points that came when a recording had failed, and calls, loops and iterations of
// what was in memory then.
type Saved struct {
	Threads    int64 // that were begun
	Blocks     int64
	DataBytes  int64
	IndexBytes int64
	TimeBytes  int64
	Dropped    int64 // trace points that found no room, or came when nothing could be written any more
	Refused    int64 // threads for which there was no memory
	Misuse     Misuse
}

// Flush writes all that was recorded before, by any goroutine, and says what is
// saved then. It is for whoever wants to look at the trace now. A collect-and-dump recorder saves nothing before its end.
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
	saved.Misuse = r.counts.misuse.saved()
	return saved
}

// FormatVersion is the version of the trace's format that is written; 0 of a nil
// Recorder.
func (r *Recorder) FormatVersion() int {
	if r == nil || r.layout == nil {
		return 0
	}
	return int(r.layout.version)
}

// Stop ends the recording: it writes all that was recorded, and the end of the
// files. Threads do nothing from then on; what they have open counts as
// unfinished. It returns the first error of the recording.
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
	slices.SortFunc(threads, func(a, b *Thread) int { return cmp.Compare(a.id, b.id) })
	for _, t := range threads {
		r.end(t)
	}
	r.kept.forget()
	r.goroutines.Clear()
	_ = r.sink.finish() // kept
	return r.problems.first()
}

// Dump ends a collect-and-dump recording and writes it. Stop does it where Dump
// was not called.
func (r *Recorder) Dump() error { return r.Stop() }
