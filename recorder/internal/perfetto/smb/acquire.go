package smb

import (
	"runtime"
	"time"
)

// try looks for a free chunk and writes its header. It does not wait. Each search
// begins where the previous one ended: the chunks there have been in use the longest.
func (a *Arbiter) try(id uint32, head packetsWord) (c owned, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed {
		for range a.mem.pages {
			if c, ok = a.tryPage(a.nextPage, id, head); ok {
				a.last = a.position(c)
				if a.room.watched.Load() == a.last+1 {
					a.watch()
				}
				return c, true
			}
			if a.nextPage++; a.nextPage == a.mem.pages {
				a.nextPage = 0
			}
		}
		a.watch()
	}
	a.room.searched.Store(int64(time.Since(a.room.began)))
	return owned{}, false
}

// searchAgain is how long after a search there is another even if the watched chunk
// was not freed: a service may free any other.
const searchAgain = time.Millisecond

// position returns the number of a chunk, in the order of the memory.
func (a *Arbiter) position(c owned) int32 { return int32(c.page*a.cfg.Layout.Chunks() + c.index) }

// stateAt returns the state of the chunk at a position.
func (a *Arbiter) stateAt(position int32) State {
	n := int32(a.cfg.Layout.Chunks())
	// The state bits of a page that is not laid out are 0, which is Free.
	return loadWord[pageWord](a.mem.page(int(position / n))).state(int(position % n))
}

// mayHaveRoom reports whether a search for a free chunk may find one.
func (a *Arbiter) mayHaveRoom() bool {
	if at := a.room.watched.Load(); at > 0 && a.stateAt(at-1) == Free {
		return true
	}
	return time.Since(a.room.began)-time.Duration(a.room.searched.Load()) >= searchAgain
}

// watch chooses the chunk to watch. Chunks are taken in turn, and a service takes them
// in the order of the commits: it is the first after the last one taken, of those that
// no writer has. Called with mu held.
func (a *Arbiter) watch() {
	at, all := a.last, int32(a.Chunks())
	for range all {
		if at++; at == all {
			at = 0
		}
		if a.stateAt(at) != BeingWritten {
			a.room.watched.Store(at + 1)
			return
		}
	}
	a.room.watched.Store(0)
}

// tryPage is try for one page. a.mu is held, so only the service changes the page
// meanwhile: it frees chunks, or the whole page, which is worth a second look.
func (a *Arbiter) tryPage(page int, id uint32, head packetsWord) (owned, bool) {
	p := a.mem.page(page)
	for range 2 {
		w := loadWord[pageWord](p)
		if !w.anyFree() {
			return owned{}, false
		}
		if w == 0 {
			if w = partitioned(a.cfg.Layout); !swapWord(p, 0, w) {
				continue
			}
		}
		l := w.layout()
		for i := range l.Chunks() {
			if w.state(i) != Free || a.mem.move(page, l, i, Free, BeingWritten, ownerAttempts) != nil {
				continue
			}
			c := owned{page: page, index: i, layout: l, id: id, mem: a.mem.chunk(page, l, i)}
			storeWord(word(c.mem, 0), id)
			storeWord(word(c.mem, 4), head)
			return c, true
		}
		if loadWord[pageWord](p) != 0 {
			break
		}
	}
	return owned{}, false
}

// Pauses of a writer that polls for a free chunk.
const (
	firstPause = 20 * time.Microsecond
	lastPause  = 2 * time.Millisecond
	yields     = 4 // attempts before the first pause
	// knockEvery is the number of attempts after which the service gets a commit, even
	// an empty one: an endpoint may notice only then that the service is gone.
	knockEvery = 64
)

// worthWaiting reports whether a service takes chunks out of the memory at all.
func (a *Arbiter) worthWaiting(w *Writer) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return w.policy == Stall && a.ep != nil && w.target.bound
}

// wait waits for a free chunk, for at most StallLimit. The writer must hold no
// chunk, or all writers could wait for each other.
func (a *Arbiter) wait(w *Writer, id uint32, head packetsWord) (owned, bool) {
	a.stats.stalls.Add(1)
	a.bell.hurry()
	start := time.Now()
	limit := time.NewTimer(a.cfg.StallLimit)
	defer limit.Stop()
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-a.quit:
		return owned{}, false
	case <-limit.C:
		return owned{}, a.gaveUp(w, start)
	}
	pause := time.NewTimer(lastPause)
	defer pause.Stop()
	length := firstPause
	for n := 0; ; n++ {
		if c, ok := a.try(id, head); ok {
			return c, true
		}
		if n%knockEvery == knockEvery-1 {
			a.sender.knock.Store(true)
		}
		a.bell.hurry()
		if n < yields {
			runtime.Gosched()
			continue
		}
		pause.Reset(length)
		length = min(2*length, lastPause)
		select {
		case <-pause.C:
		case <-a.quit:
			return owned{}, false
		case <-limit.C:
			return owned{}, a.gaveUp(w, start)
		}
	}
}

// gaveUp reports a writer that timed out. It returns false.
func (a *Arbiter) gaveUp(w *Writer, start time.Time) bool {
	a.stats.timeouts.Add(1)
	if a.cfg.OnStall != nil {
		a.cfg.OnStall(w.id, time.Since(start))
	}
	return false
}

// complete passes a chunk to the Reader.
func (a *Arbiter) complete(c owned) {
	if a.mem.move(c.page, c.layout, c.index, BeingWritten, Complete, ownerAttempts) != nil {
		a.stats.contested.Add(1)
	}
}

// giveBack accepts a chunk for a target that its writer has filled.
func (a *Arbiter) giveBack(t *Target, c owned) {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return
	}
	a.stats.chunks.Add(1)
	a.complete(c)
	if a.room.watched.Load() == 0 {
		a.watch()
	}
	a.backlog.add(queued{owned: c, target: t})
	full := a.backlog.bytes >= a.cfg.CommitBytes
	a.mu.Unlock()
	switch {
	case full && a.cfg.Inline && a.sender.mu.TryLock():
		a.flush()
		a.sender.mu.Unlock()
	case full || a.cfg.Emulated:
		a.bell.hurry()
	default:
		a.bell.wake()
	}
}
