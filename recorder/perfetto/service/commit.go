package service

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

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

// maxPatches is how many patches of a chunk one request may have.
const maxPatches = 1024

// patch patches lengths into a chunk that was committed before: see
// [tracebuf.Buffer.TryPatchChunk]. The chunk is identified by its producer, which
// cannot be forged, so the producer's right to write into the buffer need not be
// checked.
func (p *producer) patch(c *messages.CommitDataRequest_ChunkToPatch) {
	b, writer := p.s.buffers.byID[c.GetTargetBuffer()], c.GetWriterId()
	if b == nil || writer == 0 || writer > smb.MaxWriterID || len(c.Patches) > maxPatches {
		p.s.lost.patches += uint64(len(c.Patches))
		return
	}
	var room [8]tracebuf.Patch
	list := room[:0]
	for _, of := range c.Patches {
		if len(of.Data) != len(tracebuf.Patch{}.Data) {
			p.s.lost.patches++
			continue
		}
		list = append(list, tracebuf.Patch{Offset: of.GetOffset(), Data: [4]byte(of.Data)})
	}
	b.session.journal.patch(p, uint16(writer), c.GetChunkId(), list, c.GetHasMorePatches())
	b.TryPatchChunk(tracebuf.SequenceID{Producer: p.id(), Writer: uint16(writer)}, c.GetChunkId(), list, c.GetHasMorePatches())
}

// scrape copies what a producer wrote for a session and has not committed. Called
// with mu held.
func (s *Service) scrape(n *session, p *producer) {
	if !p.scraped || p.memory.reader == nil || !p.writesFor(n) {
		return
	}
	err := p.memory.reader.Scrape(&p.memory.chunk, func(c *smb.Chunk) bool {
		id, known := p.bufferOf(c.Writer)
		if !known {
			return true
		}
		if b := p.target(id, c.Writer); b != nil && b.session == n {
			n.journal.chunk(p, c)
			b.CopyChunkUntrusted(p.from, c)
		}
		return true
	})
	if err != nil {
		s.complain("reading the memory of %q (process %d): %w", p.name, p.from.PID, err)
	}
}

// bufferOf returns the buffer that a writer writes into. A program may have ended
// before it could register its writer: if it writes into only one buffer, that is
// known all the same, unless it provided its own memory, which it may have used
// before it had any buffer.
func (p *producer) bufferOf(writer uint16) (id uint32, known bool) {
	if id, known = p.writers[writer]; known || p.state == producerConnected || p.memory.provided || len(p.targets) != 1 {
		return id, known
	}
	for id = range p.targets {
	}
	return id, true
}

// setUpMemory gives a producer memory, if it has none, before its first data source
// is set up. It returns false if it cannot.
func (p *producer) setUpMemory(n *session) bool {
	if p.memory.told {
		return true
	}
	var config *messages.TraceConfig_ProducerConfig
	for _, c := range n.config.Producers {
		if c.GetProducerName() == p.name {
			config = c
			break
		}
	}
	size, page := p.memory.size(config, min(p.s.config.Limits.Memory, mostFile()))
	if !p.memory.emulated {
		if err := p.memory.share(size, page, n.journal.memory(p)); err != nil {
			p.s.complain("cannot share %d bytes of memory with %q (process %d): %w", size, p.name, p.from.PID, err)
			return false
		}
	}
	if r := p.memory.reader; r != nil && n.journal != nil {
		n.journal.producer(p)
		r.Keep = func(c *smb.Chunk) { n.journal.chunk(p, c) }
	}
	p.memory.told = true
	p.commands.add(command{
		message: &messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_SetupTracing_{
			SetupTracing: &messages.GetAsyncCommandResponse_SetupTracing{
				SharedBufferPageSizeKb: proto.Uint32(uint32(page >> 10)),
			},
		}},
		file: p.memory.file,
	})
	return true
}
