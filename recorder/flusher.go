package recorder

import (
	"fmt"
	"time"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
)

// occasion is why all threads are swept.
type occasion int

const (
	onDemand occasion = iota // write all
	byTimer                  // write all, and take the chunks of idle threads away
	byNeed                   // write the chunks that are full
)

// sweep writes what threads have published.
func (f *flusher) sweep(why occasion) {
	f.sweeper.mu.Lock()
	defer f.sweeper.mu.Unlock()
	f.clock.Refresh()
	f.sweeper.list = f.threads.appendTo(f.sweeper.list[:0])
	for i, b := range f.sweeper.list {
		f.sweeper.list[i] = nil
		f.sweepThread(b, why)
	}
	f.sink.write()
}

// later asks the recorder's goroutine to write what a thread has set aside.
func (f *flusher) later(b *buffer) {
	if !b.due.Swap(true) {
		f.due.add(b)
	}
	f.worker.kick()
}

// sweepDue writes what threads have set aside, and makes room for those without a chunk.
func (f *flusher) sweepDue() {
	due := f.due.take()
	lacking := f.counts.lacking.Swap(0)
	for _, b := range due {
		b.due.Store(false)
		if wants := b.wants.Load(); b.chunk.Load() == nil && !b.left.Load() {
			lacking += wants
		}
		f.sweepThread(b, byNeed)
	}
	if lacking -= f.pool.Left(); lacking > 0 {
		f.reclaim(lacking)
	}
	for _, b := range due {
		b.wants.Store(0) // it may look again
	}
	f.sink.write()
}

func (f *flusher) sweepThread(b *buffer, why occasion) {
	if b.left.Load() {
		f.endThread(b, false)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	defer f.guard(b)
	if b.nonsense.Load() {
		f.bury(b)
		return
	}
	if why == byNeed {
		f.putFull(b, b.wants.Load() > 0)
		return
	}
	b.wants.Store(0)
	before := b.file.Blocks()
	switch c := f.putAll(b); {
	case why != byTimer || c == nil:
	case b.file.Blocks() > before:
		b.sunk.idle = false
	default:
		if b.sunk.idle {
			f.retire(b)
		}
		b.sunk.idle = !b.sunk.idle
	}
}

// put puts a part of a chunk into the sink. b.mu is held.
func (f *flusher) put(b *buffer, p buffers.Part) {
	if len(p.Data) == 0 {
		b.file.Passed(p.Chunk) // the sink does not look at it
	}
	f.sink.put(b, p, false)
}

// putAll puts everything a thread has published into the sink, then the note of what it dropped
// after that, and returns its chunk. b.mu is held.
func (f *flusher) putAll(b *buffer) *buffers.Chunk {
	var p buffers.Part
	b.swap.Lock()
	c := b.takeFull()
	if c != nil {
		p = c.Pending()
	}
	note := b.takeNote()
	b.swap.Unlock()
	f.putTaken(b)
	if c != nil {
		b.file.Rebase(&f.clock, &b.swap, p)
		f.put(b, p)
		c.Written(p)
	}
	f.sink.put(b, note, false)
	return c
}

// putFull puts the chunks that a thread has set aside into the sink, and, if all is set, the
// current one. b.mu is held.
func (f *flusher) putFull(b *buffer, all bool) {
	b.swap.Lock()
	c := b.takeFull()
	b.swap.Unlock()
	f.putTaken(b)
	if c != nil && all {
		p := c.Pending()
		b.file.Rebase(&f.clock, &b.swap, p)
		f.put(b, p)
		c.Written(p)
	}
}

// putTaken puts the taken chunks into the sink. b.mu is held.
func (f *flusher) putTaken(b *buffer) {
	for c := b.taken; c != nil; c = b.taken {
		p := c.Pending()
		b.file.Rebase(&f.clock, &b.swap, p)
		f.put(b, p)
		c.Next, b.taken = nil, c.Next
		if f.state.Load() == running {
			f.pool.Put(c)
		} else {
			f.pool.Lost(c) // what is written at the end need not stay in memory
		}
	}
}

// retire takes a thread's chunk away, puts its published part into the sink, and returns it, or
// nil if there was none. b.mu is held.
func (f *flusher) retire(b *buffer) *buffers.Chunk {
	c, p := b.takeIdle()
	f.putTaken(b)
	if c == nil {
		return nil
	}
	b.file.Rebase(&f.clock, &b.swap, p)
	f.put(b, p)
	b.park(c)
	f.pool.Lost(c)
	return c
}

// guard must be deferred when reading what a thread published: if two goroutines share the
// thread, it may be anything.
func (f *flusher) guard(b *buffer) {
	if v := recover(); v != nil {
		f.quarantine(b, fmt.Errorf("%v", v))
	}
}

// clockRestarted notes in all chunks that the clock's counter restarted: the data published
// from now on was read after that, and readings from before are mapped to the clock's line, see
// package clock. The caller may hold a thread's mu, but no swap.
func (f *flusher) clockRestarted() {
	restarts := f.clock.Restarts()
	f.threads.each(func(b *buffer) {
		b.swap.Lock()
		if c := b.chunk.Load(); c != nil {
			_, n := buffers.Unpack(c.Published.Load())
			c.Restarts = clock.WithRestart(c.Restarts, n, restarts)
		}
		b.swap.Unlock()
	})
}

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

// Quarantine of a thread that turns out to be used by more than one goroutine. What it had
// published by then is kept as far as it makes sense, and ends there. Other threads continue.

// quarantine keeps a thread out that turned out to be used by more than one goroutine. The
// caller may hold the thread's mu.
func (f *flusher) quarantine(b *buffer, why error) {
	at := found{chunk: b.chunk.Load()}
	if at.chunk != nil {
		at.published = at.chunk.Published.Load()
	}
	f.quarantineAt(b, at, why)
}

// torn is quarantine for a sink that got a part which makes no sense.
func (f *flusher) torn(b *buffer, why error) { f.quarantineAt(b, found{torn: true}, why) }

// refuses reports whether nothing more of a thread may be put into the sink, except its end.
func (f *flusher) refuses(b *buffer) bool { return b.nonsense.Load() && f.quarantined.of(b).torn }

func (f *flusher) quarantineAt(b *buffer, at found, why error) {
	if f.quarantined.add(b, at) {
		f.counts.misuse.shared.Add(1)
	}
	f.problems.fail(fmt.Errorf("%w: %q: %w", ErrShared, b.file.Name, why))
	if f.worker.wake != nil {
		f.later(b)
	}
}

// bury writes the part of a thread in quarantine that makes sense, and its end. b.mu is held.
func (f *flusher) bury(b *buffer) {
	if b.sunk.all {
		return
	}
	b.sunk.all = true
	b.swap.Lock()
	c, _ := b.takeAway()
	b.shut = true
	b.swap.Unlock()
	full := b.taken
	b.taken = nil
	at := f.quarantined.of(b)

	sound := !at.torn
	for ; full != nil; full = full.Next {
		sound = sound && f.buryPart(b, full, full == at.chunk, at.published)
		f.pool.Lost(full)
	}
	if c != nil {
		if sound && c == at.chunk {
			f.buryPart(b, c, true, at.published)
		}
		f.pool.Lost(c)
	}
	b.file.End(&f.clock, b.now())
	f.sink.put(b, buffers.Part{}, true)
	b.forgetLive()
}

// buryPart puts the part of a chunk that makes sense into the sink, for the last chunk only up
// to published. It reports whether that was all and more may follow.
func (f *flusher) buryPart(b *buffer, c *buffers.Chunk, last bool, published uint64) (more bool) {
	defer func() {
		if v := recover(); v != nil { // the published data may be anything
			more = false
		}
	}()
	p := c.Pending()
	if bytes, marks := buffers.Unpack(published); last && bytes >= c.Flushed && marks >= c.FlushedMarks {
		p = c.UpTo(published)
	} else if last {
		return false
	}
	good, _ := p.Sound(f.layout.Version, b.file.ID, f.sink.opened(b))
	b.file.Rebase(&f.clock, &b.swap, good)
	f.sink.put(b, good, false)
	return !last && len(good.Data) == len(p.Data)
}

// run is the recorder's only goroutine. It writes what is due until the recording ends. If
// nothing is written before the end, it only reads the clock now and then. It tells problems
// after it is gone: OnError may wait for Stop, which waits for run.
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
