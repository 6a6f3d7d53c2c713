package recorder

// reclaim takes chunks away from threads until need bytes are free, first from those that
// recorded nothing since its last visit. It reports whether it took any. The caller has no
// chunk.
func (f *flusher) reclaim(need int64) bool {
	won := f.reclaimFrom(need, true)
	if won < need {
		won += f.reclaimFrom(need-won, false)
	}
	return won > 0
}

// reclaimFrom takes chunks away, from idle threads or from any, and returns how many bytes that
// frees.
func (f *flusher) reclaimFrom(need int64, idle bool) (won int64) {
	for n := f.holders.count(); n > 0 && won < need; n-- {
		b := f.holders.walk()
		if b == nil || !b.mu.TryLock() {
			continue
		}
		if idle && b.busy() {
			b.mu.Unlock()
			continue
		}
		won += f.take(b)
	}
	return won
}

// take takes a thread's chunk away and returns how many bytes that frees. Called with b.mu
// held; releases it.
func (f *flusher) take(b *buffer) int64 {
	defer b.mu.Unlock()
	defer f.guard(b)
	c := b.chunk.Load()
	if c == nil {
		return 0
	}
	if b.nonsense.Load() {
		f.bury(b)
	} else if c = f.retire(b); c == nil {
		return 0
	}
	return f.pool.Cost(len(c.Data))
}
