package recorder

import (
	"strings"

	"tracex/recorder/internal/buffers"
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
	t := &Thread{terms: r.terms(), clocked: r.clocking(), reserved: size}
	t.open.top = &t.open.first
	if swallowsNil() {
		t.panics = &panics{wary: true}
	}
	t.file.Name = name
	t.file.Live.KeepIn(r.live, name)
	if r.state.Load() != running || !r.threads.add(t) {
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
	case r.clock.Counts() && r.config.source == nil:
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
	if t.from != nil && t.from.resting && !t.resumes() {
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
	r.ends(t)
	r.problems.tell()
}

// ends ends a thread for its owner.
func (r *Recorder) ends(t *Thread) {
	t.swap.Lock()
	t.file.Live.KeepEnd(t.over.Load())
	t.swap.Unlock()
	switch {
	case r.config.Strategy == CollectAndDump:
	case r.config.OnFull == Drop:
		t.left.Store(true)
		r.later(t)
	default:
		r.finish(t, true)
	}
}

// finish writes the last block of a thread and forgets the thread. The chunk is reused only if
// the caller owns the thread.
func (r *Recorder) finish(t *Thread, owner bool) {
	switch c := r.end(t); {
	case c == nil:
	case owner:
		r.pool.Put(c)
	default:
		r.pool.Lost(c)
	}
	r.forget(t)
}

// end takes the thread's chunk away and writes its last block, unless that was done before.
func (r *Recorder) end(t *Thread) *buffers.Chunk {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer r.guard(t)
	if t.nonsense.Load() {
		r.bury(t)
	}
	if t.finished {
		return nil
	}
	t.finished = true
	ended := t.over.Load()
	if ended == 0 {
		ended = t.now()
	}
	c, p, note := t.takeLast()
	r.putTaken(t)
	if c != nil {
		t.file.Settle(&r.clock, &t.swap, p)
	}
	t.file.End(&r.clock, ended)
	r.sink.put(t, p, len(note.Data) == 0)
	if len(note.Data) > 0 {
		r.sink.put(t, note, true)
	}
	return c
}

// takeLast takes the thread's chunk away. It returns the chunk, its published part, and the
// note of the dropped points after that. mu is held.
func (t *Thread) takeLast() (c *buffers.Chunk, p, note buffers.Part) {
	t.swap.Lock()
	defer t.swap.Unlock()
	c, p = t.takeAway()
	t.shut = true
	return c, p, t.takeNote()
}

// forget takes a thread off the list.
func (r *Recorder) forget(t *Thread) {
	t.mu.Lock() // two flushers may be here at once
	t.forgetLive()
	t.mu.Unlock()
	if t.nonsense.Load() {
		r.aside.forget(t)
	}
	if r.threads.remove(t) {
		r.pool.Release(t.reserved)
	}
}
