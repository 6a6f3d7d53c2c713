package smb

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Config describes a program's memory and how the program uses it.
type Config struct {
	// Memory is the buffer, in pages of PageSize bytes. See [Arbiter.Done] for how long
	// it is used.
	Memory   []byte
	PageSize int
	// Layout is how a free page is divided. Div1 if 0. Each Writer keeps a chunk for
	// itself: there must be more chunks than writers, preferably a few times as many.
	Layout Layout
	// Emulated means that no service sees the memory: chunks travel in the commits.
	Emulated bool

	// Delay is how long a commit waits for more chunks; 0 means not at all.
	Delay time.Duration
	// CommitBytes ends the wait once complete chunks have this many bytes. Half of the
	// memory if 0.
	CommitBytes int
	// Inline lets the writer that reaches CommitBytes send the commit itself, unless
	// another goroutine is sending one. It is for endpoints that do not block.
	Inline bool

	// StallLimit is how long a writer with the policy Stall waits for a chunk before it
	// drops packets. Ten seconds if 0.
	StallLimit time.Duration
	// OnStall, if not nil, is called by a writer that has waited StallLimit, in the
	// goroutine that writes.
	OnStall func(writer uint16, waited time.Duration)
}

// Arbiter is a program's side of the memory. It hands chunks to writers and commits
// the complete ones. All methods may be called from any goroutine.
type Arbiter struct {
	mem memory
	cfg Config

	mu       sync.Mutex
	ep       Endpoint // nil before Connect and after Close
	closed   bool
	refs     int   // users of the memory: writers, commits, and the Arbiter until it is closed
	nextPage int   // where the next search for a free chunk begins
	last     int32 // position of the chunk that was taken last
	room     room  // read without mu
	writers  registry
	backlog  backlog

	sender sender // its lock is taken before mu

	bell bell
	quit chan struct{}
	done chan struct{}
	turn chan struct{} // only the writer that holds it looks for a chunk; the others wait

	stats struct {
		chunks, commits, dropped, losses, stalls, timeouts, contested atomic.Uint64
	}
}

// New returns an Arbiter. ep may be nil: writers can then write at once, and their
// packets are committed after [Arbiter.Connect].
func New(cfg Config, ep Endpoint) (*Arbiter, error) {
	mem, err := newMemory(cfg.Memory, cfg.PageSize)
	if err != nil {
		return nil, err
	}
	if cfg.Layout == Unpartitioned {
		cfg.Layout = Div1
	}
	if cfg.Layout.Chunks() == 0 {
		return nil, fmt.Errorf("%w: layout %d", ErrGeometry, cfg.Layout)
	}
	if cfg.CommitBytes <= 0 {
		cfg.CommitBytes = len(cfg.Memory) / 2
	}
	if cfg.StallLimit <= 0 {
		cfg.StallLimit = 10 * time.Second
	}
	a := &Arbiter{
		mem: mem, cfg: cfg, refs: 1,
		writers: newRegistry(),
		bell:    newBell(),
		quit:    make(chan struct{}),
		done:    make(chan struct{}),
		turn:    make(chan struct{}, 1),
		room:    room{began: time.Now()},
	}
	if ep != nil {
		a.Connect(ep)
	}
	return a, nil
}

// Chunks returns the number of chunks in the memory.
func (a *Arbiter) Chunks() int { return a.mem.pages * a.cfg.Layout.Chunks() }

// Flush commits all complete chunks and returns when the endpoint has them.
func (a *Arbiter) Flush() {
	a.sender.mu.Lock()
	defer a.sender.mu.Unlock()
	a.flush()
}

// flush is [Arbiter.Flush]. Called with a.sender.mu held.
func (a *Arbiter) flush() {
	a.mu.Lock()
	ep := a.ep
	if ep == nil {
		a.mu.Unlock()
		return
	}
	a.refs++
	a.sender.arena = a.sender.arena[:0]
	var data func(owned) []byte
	if a.cfg.Emulated {
		data = a.takeData
	}
	a.backlog.take(&a.sender.out, data)
	ended := a.writers.takeEnded()
	a.mu.Unlock()
	a.stats.commits.Add(a.sender.send(ep))
	for _, w := range ended {
		ep.UnregisterWriter(w.id)
	}
	a.mu.Lock()
	a.writers.free(ended)
	a.release()
	a.mu.Unlock()
}

// AckFlush answers a flush request of the service, and all earlier ones, with the
// next commit, which is sent soon. Packets that writers hold are not included unless
// the writers were flushed first: see [Writer.Flush].
func (a *Arbiter) AckFlush(id uint64) {
	a.mu.Lock()
	a.backlog.flushID = max(a.backlog.flushID, id)
	a.mu.Unlock()
	a.bell.hurry()
}

// Close ends the Arbiter: the service is gone, or no longer wanted. Nothing more is
// committed; call Flush first if necessary. Writers drop packets that do not fit
// into their chunks, and waiting writers return at once. A running call of the
// endpoint continues: Done waits for it.
func (a *Arbiter) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	a.closed, a.ep = true, nil
	a.room.watched.Store(0)
	a.backlog.queue, a.writers.ended = nil, nil
	close(a.quit)
	a.release()
}

// Done returns a channel that is closed when the Arbiter and all its writers are
// closed: then the memory is no longer accessed, and may be unmapped.
func (a *Arbiter) Done() <-chan struct{} { return a.done }

// release drops one reference to the memory. Called with a.mu held.
func (a *Arbiter) release() {
	if a.refs--; a.refs == 0 {
		close(a.done)
	}
}

// commits is the goroutine that sends commits.
func (a *Arbiter) commits() {
	defer func() {
		a.mu.Lock()
		a.release()
		a.mu.Unlock()
	}()
	for a.bell.wait(a.cfg.Delay, a.quit) {
		a.Flush()
	}
}

type Stats struct {
	Chunks    uint64 // completed
	Commits   uint64 // sent
	Dropped   uint64 // packets
	Losses    uint64 // times that a writer started dropping
	Stalls    uint64 // times that a writer waited for a chunk
	Timeouts  uint64 // those of them that timed out
	Contested uint64 // chunks that the other side changed while the program owned them
}

func (a *Arbiter) Stats() Stats {
	s := &a.stats
	return Stats{
		s.chunks.Load(), s.commits.Load(), s.dropped.Load(), s.losses.Load(),
		s.stalls.Load(), s.timeouts.Load(), s.contested.Load(),
	}
}

// room tells writers that drop packets when to search for a free chunk. Reading it is
// cheap: it is read for each dropped packet.
type room struct {
	// watched is one more than the position of the chunk that the service is expected to
	// free next; 0 if there is none.
	watched  atomic.Int32
	searched atomic.Int64 // when a search last found nothing, in ns since began
	began    time.Time
}

// Connect gives the endpoint to an Arbiter that was made before there was a service.
// It must be called at most once.
func (a *Arbiter) Connect(ep Endpoint) {
	a.sender.mu.Lock()
	defer a.sender.mu.Unlock()
	a.mu.Lock()
	if a.closed || a.ep != nil {
		a.mu.Unlock()
		return
	}
	a.ep = ep
	writers := a.toRegister()
	buffers := make([]uint32, len(writers))
	for i, id := range writers {
		buffers[i] = a.writers.targets[id].buffer
	}
	a.refs++
	waiting := len(a.backlog.queue) > 0 || a.backlog.flushID != 0
	a.mu.Unlock()
	for i, id := range writers {
		ep.RegisterWriter(id, buffers[i])
	}
	go a.commits()
	if waiting {
		a.bell.hurry()
	}
}

// toRegister returns the writers that the service has not been told of and now can
// be. Called with a.mu held.
func (a *Arbiter) toRegister() []uint16 {
	if a.ep == nil {
		return nil
	}
	return a.writers.takeBound()
}

// If the service cannot share the memory, because it is across a network, chunks
// travel in the commits, and the program frees them itself.

// takeData copies a complete chunk for a commit and frees it. Called with a.sender.mu
// and a.mu held.
func (a *Arbiter) takeData(c owned) []byte {
	data := a.sender.grow(len(c.mem))
	copy(data, c.mem)
	if a.mem.free(c.page, c.layout, c.index, Complete, ownerAttempts) != nil {
		a.stats.contested.Add(1)
	}
	return data
}

// Scrape commits the queued chunks, and then the packets in chunks that are still
// being written: what a service does itself if it shares the memory. It is for
// emulated memory, before a flush is answered.
func (a *Arbiter) Scrape() {
	a.sender.mu.Lock()
	defer a.sender.mu.Unlock()
	a.flush()
	a.mu.Lock()
	ep := a.ep
	if ep == nil || !a.cfg.Emulated {
		a.mu.Unlock()
		return
	}
	a.refs++
	out := &a.sender.out
	*out = Commit{Moves: out.Moves[:0]}
	a.sender.arena = a.sender.arena[:0]
	var c Chunk
	a.mem.scrape(&c, false, func(c *Chunk) bool {
		t := a.writers.targets[c.Writer]
		if t == nil || !t.bound || c.Complete {
			return true
		}
		out.Moves = append(out.Moves, Move{
			Page: uint32(c.Page), Chunk: uint32(c.Index), Buffer: t.buffer,
			Data: a.sender.scraped(c), Incomplete: true,
		})
		return true
	})
	a.mu.Unlock()
	a.stats.commits.Add(a.sender.send(ep))
	a.mu.Lock()
	a.release()
	a.mu.Unlock()
}

// Target returns a target for a buffer that the service has named.
func (a *Arbiter) Target(buffer uint32) *Target {
	return &Target{a: a, bound: true, buffer: buffer}
}

// Reserve returns a target whose buffer is not known yet.
func (a *Arbiter) Reserve() *Target { return &Target{a: a} }

// Bind sets the buffer of the target; 0 means that there will be none, and the
// service drops what was written for it. A target is bound once.
func (t *Target) Bind(buffer uint32) {
	a := t.a
	a.sender.mu.Lock()
	defer a.sender.mu.Unlock()
	a.mu.Lock()
	if t.bound {
		a.mu.Unlock()
		return
	}
	t.bound, t.buffer = true, buffer
	a.backlog.bound(t)
	ep := a.ep
	writers := a.toRegister()
	a.mu.Unlock()
	for _, id := range writers {
		ep.RegisterWriter(id, buffer)
	}
	a.bell.hurry()
}
