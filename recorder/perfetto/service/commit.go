package service

import (
	"slices"
	"time"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

func (p *producer) commitData(r *ipc.Request, m *messages.CommitDataRequest) {
	for i, c := range m.ChunksToMove {
		if i%movesAtOnce == movesAtOnce-1 {
			// One request can name many chunks: let others take the lock.
			p.s.unlock()
			p.s.lock()
		}
		p.move(c)
	}
	for _, c := range m.ChunksToPatch {
		p.patch(c)
	}
	if id := m.GetFlushRequestId(); id != 0 {
		for _, n := range p.s.inOrder() {
			n.flushedBy(p, id)
		}
	}
	_ = r.Reply(&messages.CommitDataResponse{})
}

// movesAtOnce is how many chunks are copied before the lock is released for others.
const movesAtOnce = 64

// move copies a chunk into its target buffer, and frees it.
func (p *producer) move(c *messages.CommitDataRequest_ChunksToMove) {
	switch {
	case !p.memory.told:
		return // no memory yet, or no buffer to write into
	case c.Data != nil:
		if smb.ParseChunk(&p.memory.chunk, c.Data, !c.GetChunkIncomplete()) != nil {
			return
		}
	case p.memory.reader == nil || p.memory.reader.Take(c.GetPage(), c.GetChunk(), &p.memory.chunk) != nil:
		return // incomplete, or missing: left as it is
	}
	b := p.target(c.GetTargetBuffer(), p.memory.chunk.Writer)
	switch {
	case b == nil:
		p.s.lost.chunks++
	case !p.rate.allow(p.s.clock.now(), p.s.config.Limits.ChunksASecond):
		p.s.lost.chunks++
		b.RefuseChunk(tracebuf.SequenceID{Producer: p.id(), Writer: p.memory.chunk.Writer}, p.memory.chunk.ID)
	default:
		if c.Data != nil {
			b.session.journal.chunk(p, &p.memory.chunk)
		}
		b.CopyChunkUntrusted(p.from, &p.memory.chunk)
	}
}

// target returns the buffer with a number if the producer may write into it and its
// writer does not write into another; else nil.
func (p *producer) target(id uint32, writer uint16) *target {
	if !p.targets[id] || writer == 0 || writer > smb.MaxWriterID {
		return nil
	}
	if registered, ok := p.writers[writer]; ok && registered != id {
		return nil
	}
	b := p.s.buffers.byID[id]
	if b != nil && b.session.out != nil && b.session.out.ending {
		return nil // its file would never end
	}
	return b
}

// writesFor reports whether the producer may write into a buffer of the session.
func (p *producer) writesFor(n *session) bool {
	return slices.ContainsFunc(n.buffers.ids, func(id uint32) bool { return p.targets[id] })
}

// rate counts chunks per second.
type rate struct {
	since time.Time
	count int
}

// allow counts a chunk and reports whether it is within the limit; 0 means no limit.
func (r *rate) allow(now time.Time, limit int) bool {
	if limit <= 0 {
		return true
	}
	if now.Sub(r.since) >= time.Second {
		r.since, r.count = now, 0
	}
	r.count++
	return r.count <= limit
}
