package smb

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Commit is what a program sends its service: the request CommitData.
type Commit struct {
	Moves []Move
	// FlushID is the flush request that it answers, together with all earlier ones; 0 if
	// none.
	FlushID uint64
}

// Move asks the service to copy a chunk.
type Move struct {
	Page, Chunk uint32
	Buffer      uint32 // the service's buffer for the chunk; 0 if the chunk can be dropped
	// Data is the chunk, header included, if the memory is emulated; else nil.
	Data []byte
	// Incomplete means that the chunk in Data is still being written.
	Incomplete bool
}

// Endpoint is an Arbiter's connection to the service. Its methods must not call the
// Arbiter, except for [Arbiter.Close], and should not block for long: writers may
// wait for them, or find no chunk because none is committed meanwhile.
type Endpoint interface {
	// Commit sends a commit of at most about [MaxCommit] bytes. Calls do not overlap,
	// and their order must be kept. The contents of c are invalid after it returns.
	// While a writer waits in vain for a chunk, there are empty commits, so that an
	// endpoint that has lost its service can notice.
	Commit(c *Commit)
	// RegisterWriter tells the service which buffer a writer writes for. It is called
	// before the writer writes, if the buffer is known by then, by the goroutine that
	// makes the writer or binds its target.
	RegisterWriter(writer uint16, buffer uint32)
	// UnregisterWriter tells the service that a writer has ended. It is called after the
	// writer's last commit.
	UnregisterWriter(writer uint16)
}

// MaxCommit is the size in bytes up to which a commit is sent in one part: that of a
// frame of the protocol, less its overhead.
const MaxCommit = 128<<10 - 512

// moveBytes is the most that a move takes in a request, besides its data.
const moveBytes = 32

// queued is a chunk that waits for its commit.
type queued struct {
	owned
	target *Target
}

// backlog is what waits for the next commit.
type backlog struct {
	queue   []queued
	bytes   int    // of the chunks in queue that can be committed
	flushID uint64 // the flush request to be answered; 0 if none
}

func (b *backlog) add(q queued) {
	b.queue = append(b.queue, q)
	if q.target.bound {
		b.bytes += len(q.mem)
	}
}

// bound counts the chunks for a target that was bound meanwhile.
func (b *backlog) bound(t *Target) {
	for i := range b.queue {
		if b.queue[i].target == t {
			b.bytes += len(b.queue[i].mem)
		}
	}
}

// take moves the chunks that can be sent into out. Chunks for a target that is not
// bound stay. data returns the data of a move; nil if the memory is shared.
func (b *backlog) take(out *Commit, data func(owned) []byte) {
	*out = Commit{Moves: out.Moves[:0], FlushID: b.flushID}
	kept := b.queue[:0]
	for _, q := range b.queue {
		if !q.target.bound {
			kept = append(kept, q)
			continue
		}
		m := Move{Page: uint32(q.page), Chunk: uint32(q.index), Buffer: q.target.buffer}
		if data != nil {
			m.Data = data(q.owned)
		}
		out.Moves = append(out.Moves, m)
	}
	clear(b.queue[len(kept):])
	*b = backlog{queue: kept}
}

// sender sends commits, in parts if they are large.
type sender struct {
	mu    sync.Mutex // held while a commit is sent, so that commits arrive in order
	out   Commit     // mu guards it, and the fields below
	part  Commit
	arena []byte      // data of out, with emulated memory
	knock atomic.Bool // the next commit is sent even if it is empty
}

// grow returns n more bytes of the arena for the data of a move.
func (s *sender) grow(n int) []byte {
	at := len(s.arena)
	s.arena = slices.Grow(s.arena, n)[:at+n]
	return s.arena[at : at+n : at+n]
}

// send passes out to the endpoint, and returns the number of parts. Called with s.mu
// held.
func (s *sender) send(ep Endpoint) (commits uint64) {
	moves := s.out.Moves
	if knock := s.knock.Swap(false); !knock && len(moves) == 0 && s.out.FlushID == 0 {
		return 0
	}
	for {
		size, n := 0, 0
		for n < len(moves) && (n == 0 || size+moveBytes+len(moves[n].Data) <= MaxCommit) {
			size += moveBytes + len(moves[n].Data)
			n++
		}
		s.part = Commit{Moves: moves[:n]}
		moves = moves[n:]
		last := len(moves) == 0
		if last {
			s.part.FlushID = s.out.FlushID
		}
		commits++
		ep.Commit(&s.part)
		if last {
			return commits
		}
	}
}

// bell tells the goroutine that sends commits when it has something to do.
type bell struct {
	woken   chan struct{} // something can be committed
	hurried chan struct{} // commit now
}

func newBell() bell {
	return bell{woken: make(chan struct{}, 1), hurried: make(chan struct{}, 1)}
}

// wake asks for a commit after the delay.
func (b bell) wake() { signal(b.woken) }

// hurry asks for a commit now.
func (b bell) hurry() { signal(b.hurried) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // already signaled
	}
}

// wait waits until a commit is due. It returns false once quit is closed.
func (b bell) wait(delay time.Duration, quit <-chan struct{}) bool {
	select {
	case <-quit:
		return false
	case <-b.hurried:
		return true
	case <-b.woken:
	}
	if delay <= 0 {
		return true
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-quit:
		return false
	case <-b.hurried:
	case <-timer.C:
	}
	return true
}

// scraped returns a chunk in the format of the memory: its header, counting the
// unfinished packet too, its packets, and zeros.
func (s *sender) scraped(c *Chunk) []byte {
	b := s.grow(c.Size)
	clear(b)
	w := newPackets(c.Writer, c.Count+1, c.Flags)
	for i, v := range [2]uint32{c.ID, uint32(w)} {
		b[4*i], b[4*i+1], b[4*i+2], b[4*i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
	copy(b[chunkHeader:], c.Payload)
	return b
}
