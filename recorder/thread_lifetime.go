package recorder

import (
	"strings"

	"tracex/recorder/internal/values"
)

// How threads begin and end.

// Thread begins a thread of the trace, for one goroutine. End it when the goroutine ends. It
// returns nil if nothing is being recorded, or if there is no memory for it: a goroutine that
// ends makes room for another.
func (r *Recorder) Thread(name string) *Thread {
	if !r.on() {
		return nil
	}
	name = strings.Clone(values.Cut(name, values.MaxText))
	size := threadSize + int64(len(name))
	if !r.reserve(size) {
		if !r.on() {
			return nil
		}
		r.counts.refused.Add(1)
		r.outOf("another thread", int64(r.threads.count()))
		r.problems.tell()
		return nil
	}
	t := &Thread{writer: writer{terms: r.terms()}}
	t.to, t.clocked, t.reserved = &r.flusher, r.clocking(), size
	t.open.top = &t.open.first
	if swallowsNil() {
		t.panics = &panics{wary: true}
	}
	t.file.Name = name
	t.file.Live.KeepIn(r.live, name)
	if r.state.Load() != running || !r.threads.add(&t.buffer) {
		t.forgetLive()
		r.pool.Release(size)
		return nil
	}
	return t
}

// Recorder returns the recorder that the thread belongs to; nil for a nil Thread.
func (t *Thread) Recorder() *Recorder {
	if t == nil {
		return nil
	}
	return t.r
}

// clocking is the source of the threads' times.
func (r *Recorder) clocking() clocking {
	switch {
	case r.config.NoTimes:
		return noTimes
	case r.clock.HasCounter() && r.config.timeSource == nil:
		return byCounter
	}
	return byTime
}

// End ends the thread: calls and loops still open count as unfinished. Its methods do nothing
// from then on.
func (t *Thread) End() {
	if t == nil || t.r == nil || t.ended {
		return
	}
	r := t.r
	if t.from != nil && t.resting && !t.resumes() {
		return
	}
	if r.on() {
		t.twice()
	}
	if t.from != nil {
		r.goroutines.CompareAndDelete(t.from.goroutine, t)
		r.kept.remove(t)
	}
	t.ended, t.lagging = true, true
	t.over.Store(t.now())
	r.ends(&t.buffer)
	r.problems.tell()
}
