package recorder

import (
	"fmt"
	"sync"
)

// occasion says why all threads are swept.
type occasion int

const (
	onDemand occasion = iota // write all
	byTimer                  // write all, and take the chunks of idle threads away
	byNeed                   // write the chunks that are set aside
)

// sweep writes what threads have published.
func (r *Recorder) sweep(why occasion) {
	r.sweeping.Lock()
	defer r.sweeping.Unlock()
	r.mu.Lock()
	r.sweepers = append(r.sweepers[:0], r.threads...)
	r.mu.Unlock()
	for i, t := range r.sweepers {
		r.sweepers[i] = nil
		r.sweepThread(t, why)
	}
	_ = r.sink.write() // the error is kept
}

// later asks the recorder's goroutine to write what a thread has set aside.
func (r *Recorder) later(t *Thread) {
	if !t.due.Swap(true) {
		r.dueMu.Lock()
		r.due = append(r.due, t)
		r.dueMu.Unlock()
	}
	r.kick()
}

// sweepDue writes what threads have set aside.
func (r *Recorder) sweepDue() {
	r.dueMu.Lock()
	due := r.due
	r.due = nil
	r.dueMu.Unlock()
	for _, t := range due {
		t.due.Store(false)
		r.sweepThread(t, byNeed)
	}
	_ = r.sink.write() // the error is kept
}

func (r *Recorder) sweepThread(t *Thread, why occasion) {
	if t.left.Load() {
		r.finish(t, false)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	defer r.guard(t)
	if why == byNeed {
		t.swap.Lock()
		t.takeFull()
		t.swap.Unlock()
		r.putTaken(t)
		return
	}
	before := t.file.blocks
	switch c := r.putAll(t); {
	case why != byTimer || c == nil:
	case t.file.blocks > before:
		t.file.idle = false
	default:
		if t.file.idle {
			r.retire(t)
		}
		t.file.idle = !t.file.idle
	}
}

// putAll puts all that a thread has published into the sink, and how much it
// dropped behind that, and returns its chunk. t.mu is held.
func (r *Recorder) putAll(t *Thread) *chunk {
	var p part
	t.swap.Lock()
	c := t.takeFull()
	if c != nil {
		p = c.pending()
	}
	note := t.takeNote()
	t.swap.Unlock()
	r.putTaken(t)
	if c != nil {
		r.sink.put(t, p, false)
		c.written(p)
	}
	r.sink.put(t, note, false)
	return c
}

// takeFull takes the chunks that are set aside to where putTaken finds them. It
// returns the one that comes behind them. t.mu and t.swap are held.
func (t *Thread) takeFull() *chunk {
	t.full, t.file.taken = t.file.taken[:0], t.full
	return t.chunk.Load()
}

// putTaken puts the chunks that were taken into the sink. t.mu is held.
func (r *Recorder) putTaken(t *Thread) {
	for i, c := range t.file.taken {
		r.sink.put(t, c.pending(), false)
		t.file.taken[i] = nil
		if r.state.Load() == running {
			r.pool.put(c)
		} else {
			r.pool.lost(c) // what is written at the end need not stay in memory
		}
	}
}

// retire takes a thread's chunk away, puts what is published of it into the
// sink, and returns it, or nil when there was none. t.mu is held.
func (r *Recorder) retire(t *Thread) *chunk {
	t.swap.Lock()
	c := t.takeFull()
	t.chunk.Store(nil)
	t.swap.Unlock()
	r.putTaken(t)
	if c == nil {
		return nil
	}
	if c.relaxed {
		fence()
	}
	r.holders.remove(t)
	p := c.pending()
	r.sink.put(t, p, false)
	c.written(p)
	r.pool.lost(c)
	return c
}

// guard is deferred where what a thread published is looked at: with two
// goroutines that share it, it may be anything.
func (r *Recorder) guard(t *Thread) {
	if v := recover(); v != nil {
		r.shared(t, fmt.Errorf("%v", v))
	}
}

// holders are the threads that have a chunk: few, however many threads there
// are.
type holders struct {
	mu   sync.Mutex
	list []*Thread
	next int // where reclaim goes on
}

func (h *holders) add(t *Thread) {
	h.mu.Lock()
	t.held = len(h.list)
	h.list = append(h.list, t)
	h.mu.Unlock()
}

func (h *holders) remove(t *Thread) {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := len(h.list) - 1
	h.list[t.held] = h.list[last]
	h.list[t.held].held = t.held
	h.list[last] = nil
	h.list = h.list[:last]
}

// walk returns the next of the holders, round and round; nil when there is none.
func (h *holders) walk() *Thread {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) == 0 {
		return nil
	}
	h.next = (h.next + 1) % len(h.list)
	return h.list[h.next]
}

func (h *holders) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.list)
}

// reclaim takes chunks of threads away until need bytes are free. It reports
// whether it took any. The caller has no chunk.
func (r *Recorder) reclaim(need int64) bool {
	took := false
	for n := r.holders.count(); n > 0 && need > 0; n-- {
		t := r.holders.walk()
		if t == nil || !t.mu.TryLock() {
			continue
		}
		won := r.take(t)
		need -= won
		took = took || won > 0
	}
	return took
}

// take takes a thread's chunk away and returns how many bytes that wins. t.mu is
// held, and is not any more then.
func (r *Recorder) take(t *Thread) int64 {
	defer t.mu.Unlock()
	defer r.guard(t)
	c := r.retire(t)
	if c == nil {
		return 0
	}
	return r.pool.cost(len(c.data))
}
