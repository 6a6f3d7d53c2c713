package recorder

import (
	"fmt"
	"sync"

	"tracex/recorder/internal/buffers"
)

// Quarantine of a thread that turns out to be used by more than one goroutine. What it had
// published by then is kept as far as it makes sense, and ends there. Other threads continue.

// found is what a thread had published when its misuse was detected.
type found struct {
	chunk     *buffers.Chunk
	published uint64
	torn      bool // a part made no sense: nothing after it does
}

// quarantined holds what is known of the threads in quarantine.
type quarantined struct {
	mu    sync.Mutex
	found map[*buffer]found
}

// add notes where a thread's misuse was first detected, or that a part of it made no sense. It
// reports whether the thread is new.
func (a *quarantined) add(t *buffer, at found) (first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.found == nil {
		a.found = map[*buffer]found{}
	}
	if first = !t.nonsense.Swap(true); first || at.torn && !a.found[t].torn {
		a.found[t] = at
	}
	return first
}

// of returns where the misuse of a thread was detected.
func (a *quarantined) of(t *buffer) found {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.found[t]
}

func (a *quarantined) forget(t *buffer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.found, t)
}

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
