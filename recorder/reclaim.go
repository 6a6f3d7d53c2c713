package recorder

import "sync"

// holders are the threads that have a chunk: few, however many threads exist. A thread is added
// and removed with its swap held.
type holders struct {
	mu   sync.Mutex
	list []*Thread
	next int // where reclaim continues
}

func (h *holders) add(t *Thread) {
	h.mu.Lock()
	t.held = int32(len(h.list))
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

// walk returns the next of the holders, cyclically; nil if there is none.
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

// reclaim takes chunks away from threads until need bytes are free, first from those that
// recorded nothing since its last visit. It reports whether it took any. The caller has no
// chunk.
func (r *Recorder) reclaim(need int64) bool {
	won := r.reclaimFrom(need, true)
	if won < need {
		won += r.reclaimFrom(need-won, false)
	}
	return won > 0
}

// reclaimFrom takes chunks away, from idle threads or from any, and returns how many bytes that
// frees.
func (r *Recorder) reclaimFrom(need int64, idle bool) (won int64) {
	for n := r.holders.count(); n > 0 && won < need; n-- {
		t := r.holders.walk()
		if t == nil || !t.mu.TryLock() {
			continue
		}
		if idle && t.busy() {
			t.mu.Unlock()
			continue
		}
		won += r.take(t)
	}
	return won
}

// busy reports whether the thread recorded anything since the last call. mu is held.
func (t *Thread) busy() bool {
	c, before := t.chunk.Load(), t.seen
	if c == nil {
		return true
	}
	t.seen = c.Published.Load()
	return t.seen != before
}

// take takes a thread's chunk away and returns how many bytes that frees. Called with t.mu
// held; releases it.
func (r *Recorder) take(t *Thread) int64 {
	defer t.mu.Unlock()
	defer r.guard(t)
	c := t.chunk.Load()
	if c == nil {
		return 0
	}
	if t.nonsense.Load() {
		r.bury(t)
	} else if c = r.retire(t); c == nil {
		return 0
	}
	return r.pool.Cost(len(c.Data))
}
