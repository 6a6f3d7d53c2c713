package tracebuf

import (
	"slices"

	"tracex/recorder/internal/perfetto/smb"
)

// sequence is what one writer wrote into a buffer.
type sequence struct {
	id      SequenceID
	last    uint32    // the newest chunk id that was written
	chunks  []*record // by id, as numbers
	left    *record   // the chunk that was overwritten last; nil: none was
	part    *record   // the one that was so before it was complete
	gone    bool      // the producer is gone: nothing follows
	limit   bool      // chunks were refused
	never   uint32    // the newest of these
	drained bool      // a chunk was read to its end
}

// find returns where the chunk with an id is, or belongs.
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
	seq  *sequence // nil: padding
	from *Source
	at   int // in data
	size int // in data

	id       uint32
	flags    smb.Flags
	complete bool // else a later copy may have more packets
	count    int  // packets and fragments
	read     int  // of them
	pos      int  // in the payload, of the next one
	skipped  bool // the last one that was passed could not be had
}

// sequence makes the sequence with an id.
func (b *Buffer) sequence(id SequenceID) *sequence {
	seq := &sequence{id: id}
	i, _ := slices.BinarySearchFunc(b.all, id, func(s *sequence, id SequenceID) int { return s.id.compare(id) })
	b.all = slices.Insert(b.all, i, seq)
	b.byID[id] = seq
	return seq
}

// chunk returns the record of a chunk; nil if the buffer does not have it.
func (b *Buffer) chunk(id SequenceID, chunk uint32) *record {
	seq := b.byID[id]
	if seq == nil {
		return nil
	}
	i, ok := seq.find(chunk)
	if !ok {
		return nil
	}
	return seq.chunks[i]
}
