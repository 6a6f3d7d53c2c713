package recorder

import (
	"fmt"

	"tracex/recorder/internal/buffers"
)

// occasion is why all threads are swept.
type occasion int

const (
	onDemand occasion = iota // write all
	byTimer                  // write all, and take the chunks of idle threads away
	byNeed                   // write the chunks that are full
)

// sweep writes what threads have published.
func (r *Recorder) sweep(why occasion) {
	r.sweeping.Lock()
	defer r.sweeping.Unlock()
	r.clock.Refresh()
	r.sweepers = r.threads.appendTo(r.sweepers[:0])
	for i, t := range r.sweepers {
		r.sweepers[i] = nil
		r.sweepThread(t, why)
	}
	r.sink.write()
}

// later asks the recorder's goroutine to write what a thread has set aside.
func (r *Recorder) later(t *Thread) {
	if !t.due.Swap(true) {
		r.due.add(t)
	}
	r.worker.kick()
}

// sweepDue writes what threads have set aside, and makes room for those without a chunk.
func (r *Recorder) sweepDue() {
	due := r.due.take()
	lacking := r.counts.lacking.Swap(0)
	for _, t := range due {
		t.due.Store(false)
		if wants := t.wants.Load(); t.chunk.Load() == nil && !t.left.Load() {
			lacking += wants
		}
		r.sweepThread(t, byNeed)
	}
	if lacking -= r.pool.Left(); lacking > 0 {
		r.reclaim(lacking)
	}
	for _, t := range due {
		t.wants.Store(0) // it may look again
	}
	r.sink.write()
}

func (r *Recorder) sweepThread(t *Thread, why occasion) {
	if t.left.Load() {
		r.finish(t, false)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	defer r.guard(t)
	if t.nonsense.Load() {
		r.bury(t)
		return
	}
	if why == byNeed {
		r.putFull(t, t.wants.Load() > 0)
		return
	}
	t.wants.Store(0)
	before := t.file.Blocks()
	switch c := r.putAll(t); {
	case why != byTimer || c == nil:
	case t.file.Blocks() > before:
		t.idle = false
	default:
		if t.idle {
			r.retire(t)
		}
		t.idle = !t.idle
	}
}

// put puts a part of a chunk into the sink. t.mu is held.
func (r *Recorder) put(t *Thread, p buffers.Part) {
	if len(p.Data) == 0 {
		t.file.Passed(p.Chunk) // the sink does not look at it
	}
	r.sink.put(t, p, false)
}

// putAll puts everything a thread has published into the sink, then the note of what it dropped
// after that, and returns its chunk. t.mu is held.
func (r *Recorder) putAll(t *Thread) *buffers.Chunk {
	var p buffers.Part
	t.swap.Lock()
	c := t.takeFull()
	if c != nil {
		p = c.Pending()
	}
	note := t.takeNote()
	t.swap.Unlock()
	r.putTaken(t)
	if c != nil {
		t.file.Settle(&r.clock, &t.swap, p)
		r.put(t, p)
		c.Written(p)
	}
	r.sink.put(t, note, false)
	return c
}

// putFull puts the chunks that a thread has set aside into the sink, and, if all is set, the
// current one. t.mu is held.
func (r *Recorder) putFull(t *Thread, all bool) {
	t.swap.Lock()
	c := t.takeFull()
	t.swap.Unlock()
	r.putTaken(t)
	if c != nil && all {
		p := c.Pending()
		t.file.Settle(&r.clock, &t.swap, p)
		r.put(t, p)
		c.Written(p)
	}
}

// takeFull moves the chunks that are set aside to where putTaken finds them. It returns the
// current one, which follows them. t.mu and t.swap are held.
func (t *Thread) takeFull() *buffers.Chunk {
	t.full, t.taken = buffers.Chunks{}, t.full.First
	return t.chunk.Load()
}

// putTaken puts the taken chunks into the sink. t.mu is held.
func (r *Recorder) putTaken(t *Thread) {
	for c := t.taken; c != nil; c = t.taken {
		p := c.Pending()
		t.file.Settle(&r.clock, &t.swap, p)
		r.put(t, p)
		c.Next, t.taken = nil, c.Next
		if r.state.Load() == running {
			r.pool.Put(c)
		} else {
			r.pool.Lost(c) // what is written at the end need not stay in memory
		}
	}
}

// takeAway takes a thread's chunk away, and returns it with its published part that is not in
// the sink; nil if there was none. Chunks that were set aside are where putTaken finds them.
// t.mu and t.swap are held.
func (t *Thread) takeAway() (*buffers.Chunk, buffers.Part) {
	c := t.takeFull()
	if c == nil {
		return nil, buffers.Part{}
	}
	t.chunk.Store(nil)
	t.r.holders.remove(t)
	c.Taken = c.Published.Load()
	c.KeepLimit()
	return c, c.UpTo(c.Taken)
}

// retire takes a thread's chunk away, puts its published part into the sink, and returns it, or
// nil if there was none. t.mu is held.
func (r *Recorder) retire(t *Thread) *buffers.Chunk {
	c, p := t.takeIdle()
	r.putTaken(t)
	if c == nil {
		return nil
	}
	t.file.Settle(&r.clock, &t.swap, p)
	r.put(t, p)
	t.park(c)
	r.pool.Lost(c)
	return c
}

// takeIdle is takeAway from a thread that continues. t.mu is held.
func (t *Thread) takeIdle() (*buffers.Chunk, buffers.Part) {
	t.swap.Lock()
	defer t.swap.Unlock()
	return t.takeAway()
}

// guard must be deferred when reading what a thread published: if two goroutines share the
// thread, it may be anything.
func (r *Recorder) guard(t *Thread) {
	if v := recover(); v != nil {
		r.putAside(t, fmt.Errorf("%v", v))
	}
}
