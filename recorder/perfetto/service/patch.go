package service

import (
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

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
