package tracebuf

import (
	"slices"

	"tracex/recorder/internal/perfetto/smb"
)

// sequence is the chunks that one writer wrote into a buffer.
type sequence struct {
	id              SequenceID
	last            uint32    // the newest chunk id written
	chunks          []*record // by id, in numeric order
	overwritten     *record   // the chunk overwritten last; nil if none
	overwrittenPart *record   // like overwritten, but before it was complete
	producerGone    bool      // the producer is gone: nothing more will arrive
	refuses         bool      // chunks were refused
	refused         uint32    // the newest refused id
	drained         bool      // a chunk was read to its end
}

// find returns the position of the chunk with an id, or where it belongs.
func (s *sequence) find(id uint32) (int, bool) {
	if n := len(s.chunks); n == 0 || s.chunks[n-1].id < id {
		return n, false
	}
	return slices.BinarySearchFunc(s.chunks, id, func(c *record, id uint32) int {
		return int(int64(c.id) - int64(id))
	})
}

// record is a chunk in the ring, or padding.
type record struct {
	seq  *sequence // nil for padding
	from *Origin
	at   int // in data
	size int // in data

	id       uint32
	flags    smb.Flags
	complete bool // if not, a later copy may have more packets
	count    int  // packets and fragments
	read     int  // how many were read
	pos      int  // of the next one, in the payload
	skipped  bool // the last one could not be read
}
