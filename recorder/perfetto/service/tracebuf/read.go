package tracebuf

import "tracex/recorder/internal/perfetto/smb"

// iterator is a read position in a buffer.
type iterator struct {
	seq   int // index in all
	index int // index in the sequence's chunks
	last  uint32
	valid bool // there is a chunk at index
}

// position is where a packet begins, see [Packet].
type position struct {
	chunk uint32
	index int
}

// BeginRead begins to read the data that has not been read before.
func (b *Buffer) BeginRead() {
	b.read = iterator{seq: -1}
	b.nextSequence()
}

// nextSequence moves to the oldest chunk of the next sequence that has any. It
// returns false at the end.
func (b *Buffer) nextSequence() bool {
	c := &b.read
	for c.seq++; c.seq < len(b.all); c.seq++ {
		s := b.all[c.seq]
		if len(s.chunks) == 0 {
			continue
		}
		// Ids wrap: the oldest follows the newest in numeric order.
		i, ok := s.find(s.last)
		if ok {
			i++
		}
		if i == len(s.chunks) {
			i = 0
		}
		c.index, c.last, c.valid = s.unread(i), s.last, true
		return true
	}
	c.valid = false
	return false
}

// unread returns the position where reading continues, given that of the oldest
// chunk: the last chunk that was read from, if all before it were read whole, else
// the first that was not. Missing chunks in between are no reason to wait: they were
// read, and overwritten before older ones because they had arrived before them.
func (s *sequence) unread(oldest int) int {
	n := len(s.chunks)
	read := n - 1 // offset from the oldest
	for read > 0 && s.chunks[(oldest+read)%n].read == 0 {
		read--
	}
	for ; read > 0; read-- {
		if r := s.chunks[oldest]; !r.complete || r.read < r.count {
			break
		}
		oldest = (oldest + 1) % n
	}
	return oldest
}

// lostBefore reports whether packets are missing before the first chunk of a
// sequence. None are if the previous chunk was overwritten only after it was read to
// its end.
func (b *Buffer) lostBefore() bool {
	r := b.current(&b.read)
	l := r.seq.overwritten
	return l == nil || l.id+1 != r.id || !l.complete || l.read < l.count || l.skipped
}

func (b *Buffer) current(c *iterator) *record { return b.all[c.seq].chunks[c.index] }

// nextChunk moves to the next chunk of the sequence. The iterator becomes invalid if that has
// not arrived yet, or if the current chunk may get more packets. Neither can happen
// once the producer is gone, and a refused chunk never arrives: then nextChunk continues,
// and reports a gap.
func (b *Buffer) nextChunk(c *iterator) (gap bool) {
	if !c.valid {
		return false
	}
	s := b.all[c.seq]
	r := s.chunks[c.index]
	if r.id == c.last || !r.complete && !s.producerGone {
		c.valid = false
		return false
	}
	if c.index++; c.index == len(s.chunks) {
		c.index = 0
	}
	id := s.chunks[c.index].id
	follows := id == r.id+1
	c.valid = follows || s.producerGone || s.refuses && !before(s.refused, id-1)
	return c.valid && !(follows && r.complete)
}

// ReadNextPacket returns the next whole packet, sequence by sequence. After a write,
// call BeginRead first.
func (b *Buffer) ReadNextPacket() (p Packet, ok bool) {
	lost := true // unless the sequence shows otherwise
	if b.read.valid && b.current(&b.read).read == 0 {
		lost = b.lostBefore()
	}
	for {
		if !b.read.valid {
			if b.read.seq >= len(b.all) || !b.nextSequence() {
				return Packet{}, false
			}
			lost = b.lostBefore()
		}
		r := b.current(&b.read)
		if r.awaitsPatch() {
			b.read.valid = false // neither it nor those after it can be read
			continue
		}
		if r.read > 0 {
			lost = r.skipped
		}
		if b.readPacket(&lost) {
			r = b.current(&b.read)
			return Packet{From: r.from, Writer: r.seq.id.Writer, Lost: lost, Chunk: b.begin.chunk, Index: b.begin.index, Parts: b.parts}, true
		}
		if b.nextChunk(&b.read) {
			lost = true
		}
	}
}

// before reports whether chunk a precedes chunk b; ids wrap.
func before(a, b uint32) bool { return int32(a-b) < 0 }

// Unread calls visit for each chunk that has not been read to its end. The chunk is valid until visit returns.
func (b *Buffer) Unread(visit func(from *Origin, c *smb.Chunk)) {
	for _, s := range b.all {
		for _, r := range s.chunks {
			if r.read >= r.count {
				continue
			}
			visit(r.from, &smb.Chunk{
				ID: r.id, Writer: s.id.Writer, Count: r.count, Flags: r.flags, Complete: r.complete,
				Size: r.size - recordHead, Payload: b.payload(r),
			})
		}
	}
}
