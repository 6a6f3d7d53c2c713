package tracebuf

import "tracex/recorder/internal/perfetto/smb"

// TryPatchChunk patches lengths into a chunk, each by [smb.Patch]. With more, further patches will
// follow. It reports whether the buffer has the chunk and all lengths are within it.
func (b *Buffer) TryPatchChunk(id SequenceID, chunk uint32, patches []Patch, more bool) bool {
	r := b.chunk(id, chunk)
	if r == nil {
		b.count.PatchesFailed++
		return false
	}
	for i := range patches {
		if smb.Patch(b.payload(r), patches[i].Offset, patches[i].Data[:]) != nil {
			b.count.PatchesFailed++
			return false
		}
	}
	b.count.PatchesSucceeded += uint64(len(patches))
	if !more {
		r.flags &^= smb.NeedsPatching
	}
	return true
}

// Patch is a length that a producer fills in late.
type Patch struct {
	Offset uint32 // in the payload of the chunk
	Data   [4]byte
}
