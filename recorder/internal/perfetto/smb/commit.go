package smb

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

// leaving is a writer that has ended and is not yet unregistered.
type leaving struct {
	id   uint16
	next uint32 // the chunk id with which the writer id continues
}

// take moves the queued chunks that can be sent into a.out, and returns the writers
// that end with it. Chunks for a target that is not bound stay. Called with
// a.sending and a.mu held.
func (a *Arbiter) take() []leaving {
	out := &a.out
	*out = Commit{Moves: out.Moves[:0], FlushID: a.flushID}
	a.flushID = 0
	a.arena = a.arena[:0]
	kept := a.queue[:0]
	for _, q := range a.queue {
		if !q.target.bound {
			kept = append(kept, q)
			continue
		}
		m := Move{Page: uint32(q.page), Chunk: uint32(q.index), Buffer: q.target.buffer}
		if a.cfg.Emulated {
			m.Data = a.takeData(&q.owned)
		}
		out.Moves = append(out.Moves, m)
	}
	clear(a.queue[len(kept):])
	a.queue = kept
	a.bytes = 0
	ended := a.ended
	a.ended = nil
	return ended
}

// send passes a.out to the endpoint, in parts if it is large. Called with a.sending
// held.
func (a *Arbiter) send(ep Endpoint) {
	moves := a.out.Moves
	if knock := a.knock.Swap(false); !knock && len(moves) == 0 && a.out.FlushID == 0 {
		return
	}
	for {
		size, n := 0, 0
		for n < len(moves) && (n == 0 || size+moveBytes+len(moves[n].Data) <= MaxCommit) {
			size += moveBytes + len(moves[n].Data)
			n++
		}
		a.part = Commit{Moves: moves[:n]}
		moves = moves[n:]
		last := len(moves) == 0
		if last {
			a.part.FlushID = a.out.FlushID
		}
		a.stats.commits.Add(1)
		ep.Commit(&a.part)
		if last {
			return
		}
	}
}
