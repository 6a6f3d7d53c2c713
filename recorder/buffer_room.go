package recorder

import (
	"math/bits"
	"runtime"
	"time"

	"tracex/recorder/internal/buffers"
)

// Making room in a buffer when there is none at once. Only the owner does it.

// at returns the chunk in which there is room for an object of need bytes at b.bytes.
func (b *buffer) at(need int) *buffers.Chunk {
	c := b.chunk.Load()
	if c == nil || b.lacks(c, need) {
		if need = max(need, buffers.BytesPerMark); need > b.to.largest {
			return nil
		}
		return b.space(c, need)
	}
	return c
}

// space returns a chunk with room for need bytes, to replace one without.
func (b *buffer) space(c *buffers.Chunk, need int) (next *buffers.Chunk) {
	switch config := &b.to.config; {
	case c == nil:
	case config.Strategy == CollectAndDump:
		next = b.keep(c, need)
	case config.OnFull == Drop:
		if b.wants.Load() > 0 {
			return nil // the recorder's goroutine has not looked yet
		}
		next = b.handOver(c, need)
	default:
		if next = b.relieved(c, need); next == nil {
			next = b.writeOut(c, need)
		}
	}
	if next == nil && b.chunk.Load() == nil { // it was taken away, or given up
		return b.first(need)
	}
	return next
}

// writeOut puts the published data into the sink, and returns a chunk with room for need bytes,
// or nil if the thread has none: there is no memory for a larger one, or it was taken away
// meanwhile.
func (b *buffer) writeOut(c *buffers.Chunk, need int) *buffers.Chunk {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.chunk.Load() != c {
		return nil
	}
	b.to.putAll(b)
	next := b.grown(c, need)
	if next == nil {
		b.install(nil)
		b.to.pool.Put(c)
	}
	return next
}

// relieved leaves a full chunk to the recorder's goroutine, if that has taken the previous one
// and there is memory for another.
func (b *buffer) relieved(c *buffers.Chunk, need int) *buffers.Chunk {
	if b.to.worker.wake == nil || len(c.Data) < b.to.config.BlockSize || need > len(c.Data) || b.hasFull() {
		return nil
	}
	next := b.follow(c, b.to.pool.Get(len(c.Data)))
	if next != nil {
		b.to.later(b)
	}
	return next
}

// first gets a chunk for a thread that has none. It waits for memory if the policy is to stall;
// the thread then holds nothing that another one could wait for. Its earlier data may be on its
// way to the sink, by the holder of mu; the content of the new chunk is put after that.
func (b *buffer) first(need int) *buffers.Chunk {
	size := sizeFor(need, buffers.First)
	if b.wants.Load() > 0 {
		return nil // the recorder's goroutine has not looked yet
	}
	for b.to.state.Load() == running {
		if c := b.to.pool.Get(size); c != nil {
			b.install(c)
			return c
		}
		if b.to.config.Strategy == CollectAndDump {
			b.to.problems.fail(ErrMemory)
			return nil
		}
		if b.to.config.OnFull == Drop {
			b.want(b.to.pool.Cost(size))
			return nil
		}
		if !b.to.reclaim(b.to.pool.Cost(size)) {
			time.Sleep(waitForMemory) // the others that have it are writing
		}
	}
	return nil
}

// grown gives a thread whose chunk is in the sink one with room for need bytes: a larger one
// while there is memory, or a smaller one than a large object needed; else the same one. mu is
// held.
func (b *buffer) grown(c *buffers.Chunk, need int) *buffers.Chunk {
	if size := b.nextSize(c, need); size != len(c.Data) {
		if other := b.to.pool.Get(size); other != nil {
			b.install(other)
			b.to.pool.Put(c)
			return other
		}
	}
	if need > len(c.Data) {
		return nil
	}
	b.to.pool.Prepare(c)
	b.install(c)
	return c
}

// nextSize returns the size of the chunk that follows a full one.
func (b *buffer) nextSize(c *buffers.Chunk, need int) int {
	return sizeFor(need, min(4*len(c.Data), b.to.config.BlockSize))
}

// keep keeps a full chunk for the dump and continues in another one.
func (b *buffer) keep(c *buffers.Chunk, need int) *buffers.Chunk {
	next := b.to.pool.Get(b.nextSize(c, need))
	if next == nil {
		if next = b.to.pool.Get(sizeFor(need, buffers.First)); next == nil {
			b.to.problems.fail(ErrMemory)
			return nil
		}
	}
	return b.follow(c, next)
}

// handOver leaves a full chunk to the recorder's goroutine, and continues in another one while
// there is memory, or in the same one once all of it is written. It never waits.
func (b *buffer) handOver(c *buffers.Chunk, need int) *buffers.Chunk {
	size, least := b.nextSize(c, need), sizeFor(need, buffers.First)
	other := b.to.pool.Get(size)
	if other == nil && size > least {
		other = b.to.pool.Get(least)
	}
	next := b.follow(c, other)
	if next == nil {
		if next = b.reuse(c, need); next != nil {
			return next
		}
		if b.chunk.Load() == c { // otherwise it was taken away, and there may be memory now
			b.want(b.to.pool.Cost(least))
		}
		return nil
	}
	b.to.later(b)
	// Without this, many busy goroutines would leave the recorder's goroutine no processor, and
	// most of what they record would be dropped.
	runtime.Gosched()
	return next
}

// reuse returns the thread's chunk, emptied, if all of it is in the sink and no other goroutine
// is using the thread. So a thread with a chunk can always continue once that is written.
func (b *buffer) reuse(c *buffers.Chunk, need int) *buffers.Chunk {
	if need > len(c.Data) || !b.mu.TryLock() {
		return nil
	}
	defer b.mu.Unlock()
	if b.chunk.Load() != c || b.hasFull() || len(c.Pending().Data) > 0 {
		return nil
	}
	b.file.Passed(c)
	b.to.pool.Prepare(c)
	b.install(c)
	return c
}

// want asks the recorder's goroutine for so many bytes of memory: to write the thread's chunk,
// or, if it has none, to take those of others.
func (b *buffer) want(bytes int64) {
	b.wants.Store(bytes)
	b.to.later(b)
}

// follow sets a full chunk aside and continues in next. It returns nil if next is nil, or the
// chunk was taken away meanwhile.
func (b *buffer) follow(c, next *buffers.Chunk) *buffers.Chunk {
	if next == nil {
		return nil
	}
	b.to.clock.Notice()
	b.swap.Lock()
	defer b.swap.Unlock()
	if b.chunk.Load() != c {
		b.to.pool.Put(next)
		return nil
	}
	b.starts(next)
	b.full.Add(c)
	b.fill = fill{}
	b.chunk.Store(next)
	return next
}

// hasFull reports whether chunks wait to be put into the sink.
func (b *buffer) hasFull() bool {
	b.swap.Lock()
	defer b.swap.Unlock()
	return b.full.First != nil
}

// install gives the thread an empty chunk, or none. If it has one, mu is held.
func (b *buffer) install(c *buffers.Chunk) {
	if c != nil {
		b.to.clock.Notice()
	}
	b.swap.Lock()
	defer b.swap.Unlock()
	if c != nil {
		b.starts(c)
	}
	b.fill = fill{}
	switch had := b.chunk.Swap(c) != nil; {
	case c != nil && !had:
		b.to.holders.add(b)
	case c == nil && had:
		b.to.holders.remove(b)
	}
}

// waitForMemory is how long a goroutine waits before it checks for memory again.
const waitForMemory = 50 * time.Microsecond

// sizeFor returns the size of a chunk with room for need bytes: least, or the next power of
// two.
func sizeFor(need, least int) int {
	if need <= least {
		return least
	}
	return 1 << bits.Len(uint(need-1))
}
