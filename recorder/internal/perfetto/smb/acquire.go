package smb

import (
	"runtime"
	"time"
)

// owned is a chunk owned by a Writer.
type owned struct {
	page, index int
	layout      Layout
	id          uint32
	mem         []byte // header and payload
}

// try looks for a free chunk in the given number of pages and writes its header. It
// does not wait. Each search begins where the previous one ended: the chunks there
// have been in use the longest.
func (a *Arbiter) try(id uint32, head packetsWord, pages int) (c owned, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return owned{}, false
	}
	for range min(pages, a.mem.pages) {
		if c, ok = a.tryPage(a.nextPage, id, head); ok {
			return c, true
		}
		if a.nextPage++; a.nextPage == a.mem.pages {
			a.nextPage = 0
		}
	}
	return owned{}, false
}

// tryPage is try for one page. a.mu is held, so only the service changes the page
// meanwhile: it frees chunks, or the whole page, which is worth a second look.
func (a *Arbiter) tryPage(page int, id uint32, head packetsWord) (owned, bool) {
	p := a.mem.page(page)
	for range 2 {
		w := loadWord[pageWord](p)
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
		if c, ok := a.try(id, head, a.mem.pages); ok {
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
