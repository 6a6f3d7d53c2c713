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

// aside holds what is known of threads that were put aside.
type aside struct {
	mu    sync.Mutex
	found map[*Thread]found
}

// add notes where a thread's misuse was first detected, or that a part of it made no sense. It
// reports whether the thread is new.
func (a *aside) add(t *Thread, at found) (first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.found == nil {
		a.found = map[*Thread]found{}
	}
	if first = !t.nonsense.Swap(true); first || at.torn && !a.found[t].torn {
		a.found[t] = at
	}
	return first
}

// of returns where the misuse of a thread was detected.
func (a *aside) of(t *Thread) found {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.found[t]
}

// forget forgets a thread.
func (a *aside) forget(t *Thread) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.found, t)
}

// putAside puts a thread aside that turned out to be used by more than one goroutine. The
// caller may hold the thread's mu.
func (r *Recorder) putAside(t *Thread, why error) {
	at := found{chunk: t.chunk.Load()}
	if at.chunk != nil {
		at.published = at.chunk.Published.Load()
	}
	r.quarantine(t, at, why)
}

// torn is putAside for a sink that got a part which makes no sense.
func (r *Recorder) torn(t *Thread, why error) { r.quarantine(t, found{torn: true}, why) }

// refuses reports whether nothing more of a thread may be put into the sink, except its end.
func (r *Recorder) refuses(t *Thread) bool { return t.nonsense.Load() && r.aside.of(t).torn }

func (r *Recorder) quarantine(t *Thread, at found, why error) {
	if r.aside.add(t, at) {
		r.counts.misuse.shared.Add(1)
	}
	r.problems.fail(fmt.Errorf("%w: %q: %w", ErrShared, t.file.Name, why))
	if r.worker.wake != nil {
		r.later(t)
	}
}

// bury writes the part of a thread put aside that makes sense, and its end. t.mu is held.
func (r *Recorder) bury(t *Thread) {
	if t.finished {
		return
	}
	t.finished = true
	t.swap.Lock()
	c, _ := t.takeAway()
	t.shut = true
	t.swap.Unlock()
	full := t.taken
	t.taken = nil
	at := r.aside.of(t)

	sound := !at.torn
	for ; full != nil; full = full.Next {
		sound = sound && r.buryPart(t, full, full == at.chunk, at.published)
		r.pool.Lost(full)
	}
	if c != nil {
		if sound && c == at.chunk {
			r.buryPart(t, c, true, at.published)
		}
		r.pool.Lost(c)
	}
	t.file.End(&r.clock, t.now())
	r.sink.put(t, buffers.Part{}, true)
	t.forgetLive()
}

// buryPart puts the part of a chunk that makes sense into the sink, for the last chunk only up
// to published. It reports whether that was all and more may follow.
func (r *Recorder) buryPart(t *Thread, c *buffers.Chunk, last bool, published uint64) (more bool) {
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
	good, _ := p.Sound(t.r.layout.Version, t.file.ID, r.sink.opened(t))
	t.file.Settle(&r.clock, &t.swap, good)
	r.sink.put(t, good, false)
	return !last && len(good.Data) == len(p.Data)
}
