package smb

// Commit is what a program tells its service: the request CommitData.
type Commit struct {
	Moves []Move
	// FlushID is the flush request that is answered with it, and with it all
	// before; 0 for none.
	FlushID uint64
}

// Move asks the service to copy a chunk.
type Move struct {
	Page, Chunk uint32
	Buffer      uint32 // the service's, that the chunk is for; 0: it may be forgotten
	// Data is the chunk, header included, where the memory is emulated; else nil.
	Data []byte
	// Incomplete says that Data is of a chunk that is still being written.
	Incomplete bool
}

// Endpoint is the way to the service. Its methods must not call the Arbiter, but
// for [Arbiter.Close], and should not block for long: writers may wait for them, or
// find no chunk because none is committed meanwhile.
type Endpoint interface {
	// Commit sends a commit of at most [MaxCommit] bytes or so. It is not called
	// while it runs, and the order of calls must be kept. What c holds is gone when
	// it returns. While a writer waits in vain for a chunk, there are commits of
	// nothing, so that an endpoint that has lost its service can notice.
	Commit(c *Commit)
	// RegisterWriter says which buffer a writer writes for. It is called before the
	// writer writes, where the buffer is known by then, by whoever makes the writer
	// or binds its target.
	RegisterWriter(writer uint16, buffer uint32)
	// UnregisterWriter says that a writer has ended, behind its last commit.
	UnregisterWriter(writer uint16)
}

// MaxCommit is how large a commit gets in bytes before it is sent in parts: what
// a frame of the protocol holds, less what is around it.
const MaxCommit = 128<<10 - 512

// moveBytes is what a move takes in a request at most, besides its data.
const moveBytes = 32

// queued is a chunk that waits to be committed.
type queued struct {
	owned
	target *Target
}

// leaving is a writer that has ended and is to be unregistered.
type leaving struct {
	id   uint16
	next uint32 // the chunk id that the writer id goes on with
}

// take moves what can be sent from what waits into a.out, and returns the writers
// that end with it. What is for a target that is not bound yet stays. a.sending
// and a.mu are held.
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

// send hands a.out to the endpoint, in parts if it is large. a.sending is held.
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
