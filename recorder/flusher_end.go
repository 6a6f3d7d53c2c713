package recorder

import "tracex/recorder/internal/buffers"

// ends ends a thread for its owner.
func (f *flusher) ends(b *buffer) {
	b.swap.Lock()
	b.file.Live.KeepEnd(b.over.Load())
	b.swap.Unlock()
	switch {
	case f.config.Strategy == CollectAndDump:
	case f.config.OnFull == Drop:
		b.left.Store(true)
		f.later(b)
	default:
		f.endThread(b, true)
	}
}

// endThread writes the last block of a thread and forgets the thread. The chunk is reused only if
// the caller owns the thread.
func (f *flusher) endThread(b *buffer, owner bool) {
	switch c := f.end(b); {
	case c == nil:
	case owner:
		f.pool.Put(c)
	default:
		f.pool.Lost(c)
	}
	f.forget(b)
}

// end takes the thread's chunk away and writes its last block, unless that was done before.
func (f *flusher) end(b *buffer) *buffers.Chunk {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer f.guard(b)
	if b.nonsense.Load() {
		f.bury(b)
	}
	if b.sunk.all {
		return nil
	}
	b.sunk.all = true
	ended := b.over.Load()
	if ended == 0 {
		ended = b.now()
	}
	c, p, note := b.takeLast()
	f.putTaken(b)
	if c != nil {
		b.file.Rebase(&f.clock, &b.swap, p)
	}
	b.file.End(&f.clock, ended)
	f.sink.put(b, p, len(note.Data) == 0)
	if len(note.Data) > 0 {
		f.sink.put(b, note, true)
	}
	return c
}

// forget takes a thread off the list.
func (f *flusher) forget(b *buffer) {
	b.mu.Lock() // two flushers may be here at once
	b.forgetLive()
	b.mu.Unlock()
	if b.nonsense.Load() {
		f.quarantined.forget(b)
	}
	if f.threads.remove(b) {
		f.pool.Release(b.reserved)
	}
}
