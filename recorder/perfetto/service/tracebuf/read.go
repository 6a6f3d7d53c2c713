package tracebuf

// cursor is where a buffer is read.
type cursor struct {
	seq  int // in all
	at   int // in the sequence's chunks
	last uint32
	on   bool // there is a chunk at at
}

// BeginRead begins to read: all that has come into the buffer and was not read
// before.
func (b *Buffer) BeginRead() {
	b.read = cursor{seq: -1}
	b.nextSequence()
}

// nextSequence goes to the oldest chunk of the next sequence that has any. It
// returns false when there is none.
func (b *Buffer) nextSequence() bool {
	c := &b.read
	for c.seq++; c.seq < len(b.all); c.seq++ {
		s := b.all[c.seq]
		if len(s.chunks) == 0 {
			continue
		}
		// Ids wrap: the oldest is the one behind the newest, as numbers go round.
		i, ok := s.find(s.last)
		if ok {
			i++
		}
		if i == len(s.chunks) {
			i = 0
		}
		c.at, c.last, c.on = s.unread(i), s.last, true
		return true
	}
	c.on = false
	return false
}

// unread returns where reading goes on, when the oldest chunk is at a position: at
// the last that was read if those before it were too. Holes between these are no
// reason to wait: what was there was read, and overwritten before what is older,
// since it had come before it.
func (s *sequence) unread(oldest int) int {
	n := len(s.chunks)
	read := n - 1 // behind the oldest
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

// lostBefore reports whether something is missing before the first chunk of a
// sequence. It is not when the chunk before was read to its end and overwritten
// then.
func (b *Buffer) lostBefore() bool {
	r := b.current(&b.read)
	l := r.seq.left
	return l == nil || l.id+1 != r.id || !l.complete || l.read < l.count || l.skipped
}

// current is the chunk at a cursor.
func (b *Buffer) current(c *cursor) *record { return b.all[c.seq].chunks[c.at] }

// step goes to the next chunk of the sequence. The cursor is off when that has
// not come yet, or the chunk may get more packets. Where the producer is gone
// neither will ever happen, nor will a chunk come that was refused: it goes on,
// and reports that something is missing.
func (b *Buffer) step(c *cursor) (gap bool) {
	if !c.on {
		return false
	}
	s := b.all[c.seq]
	r := s.chunks[c.at]
	if r.id == c.last || !r.complete && !s.gone {
		c.on = false
		return false
	}
	if c.at++; c.at == len(s.chunks) {
		c.at = 0
	}
	id := s.chunks[c.at].id
	follows := id == r.id+1
	c.on = follows || s.gone || s.limit && !before(s.never, id-1)
	return c.on && !(follows && r.complete)
}

// ReadNextPacket returns the next whole packet, sequence by sequence. After a write
// it needs a BeginRead first.
func (b *Buffer) ReadNextPacket() (p Packet, ok bool) {
	lost := true // unless the sequence tells otherwise
	if b.read.on && b.current(&b.read).read == 0 {
		lost = b.lostBefore()
	}
	for {
		if !b.read.on {
			if b.read.seq >= len(b.all) || !b.nextSequence() {
				return Packet{}, false
			}
			lost = b.lostBefore()
		}
		r := b.current(&b.read)
		if r.awaitsPatch() {
			b.read.on = false // nor what follows it
			continue
		}
		if r.read > 0 {
			lost = r.skipped
		}
		if b.inChunk(&lost) {
			r = b.current(&b.read)
			return Packet{From: r.from, Writer: r.seq.id.Writer, Lost: lost, Parts: b.parts}, true
		}
		if b.step(&b.read) {
			lost = true
		}
	}
}

// before reports whether chunk a comes before chunk b: ids wrap.
func before(a, b uint32) bool { return int32(a-b) < 0 }
