package service

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/recorder/perfetto/smb"
)

// packet is a packet as it is in a buffer.
type packet struct {
	from   *source
	writer uint16
	// lost is not 0 if packets of the sequence before it are missing; in a buffer of
	// the first kind also of its first, since what a ring had before it cannot tell.
	lost loss
	// parts are its bytes, one part for each chunk. They belong to the buffer, and
	// stay until something is written to it, or the next packet is read.
	parts [][]byte
}

// size returns how many bytes a packet has.
func (p *packet) size() (n int) {
	for _, part := range p.parts {
		n += len(part)
	}
	return n
}

// cursor is where a buffer is read.
type cursor struct {
	seq  int // in all
	at   int // in the sequence's chunks
	last uint32
	on   bool // there is a chunk at at
}

// rewind begins to read: what has come into the buffer since, and what was read
// before is not read again.
func (b *traceBuffer) rewind() {
	b.read = cursor{seq: -1}
	b.nextSequence()
}

// nextSequence goes to the oldest chunk of the next sequence that has any. It
// returns false when there is none.
func (b *traceBuffer) nextSequence() bool {
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
func (b *traceBuffer) lostBefore() bool {
	r := b.current(&b.read)
	l := r.seq.left
	return l == nil || l.id+1 != r.id || !l.complete || l.read < l.count || l.skipped
}

// current is the chunk at a cursor.
func (b *traceBuffer) current(c *cursor) *record { return b.all[c.seq].chunks[c.at] }

// step goes to the next chunk of the sequence. The cursor is off when that has
// not come yet, or the chunk may get more packets. Where the producer is gone
// neither will ever happen, nor will a chunk come that was refused: it goes on,
// and reports that something is missing.
func (b *traceBuffer) step(c *cursor) (gap bool) {
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

// next returns the next packet that is whole, sequence by sequence. It must not
// be called behind a write without a rewind.
func (b *traceBuffer) next() (p packet, ok bool) {
	lost := true // unless the sequence tells otherwise
	if b.read.on && b.current(&b.read).read == 0 {
		lost = b.lostBefore()
	}
	for {
		if !b.read.on {
			if b.read.seq >= len(b.all) || !b.nextSequence() {
				return packet{}, false
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
			p := packet{from: r.from, writer: r.seq.id.writer, parts: b.parts}
			if lost {
				p.lost = lossPresent
			}
			return p, true
		}
		if b.step(&b.read) {
			lost = true
		}
	}
}

// awaitsPatch reports whether lengths in a chunk are still to come.
func (r *record) awaitsPatch() bool { return r.flags&smb.NeedsPatching != 0 && !r.seq.gone }

// inChunk puts the next whole packet that begins in the current chunk into
// b.parts. It returns false when there is none. lost is set when one had to be
// skipped.
func (b *traceBuffer) inChunk(lost *bool) bool {
	r := b.current(&b.read)
	for r.read < r.count {
		b.parts = b.parts[:0]
		last := r.read == r.count-1
		switch {
		case r.read == 0 && r.flags&smb.ContinuesFromPrev != 0:
			// Its beginning was never read, and will not be.
			b.take(r, nil)
		case last && r.flags&smb.ContinuesOnNext != 0:
			switch b.together() {
			case apart:
				b.count.readaheadsFailed++
				b.read.on = false
				return false
			case whole:
				b.count.readaheadsSucceeded++
				return true
			case torn:
				b.take(r, nil)
			}
			r = b.current(&b.read) // they were gone over
		default:
			switch b.take(r, &b.parts) {
			case taken:
				if r.flags&smb.NeedsPatching == 0 || b.patched() {
					return true
				}
			case empty:
				continue
			}
		}
		r.skipped, *lost = true, true
	}
	return false
}

// What became of the fragments of a packet.
type joint int

const (
	whole  joint = iota
	apart        // some have not come yet
	broken       // they came, and make no sense
	torn         // the next one never came, and will not
)

// together puts the fragments of a packet that goes on in the next chunks into
// b.parts, if all of them are there, and leaves the cursor at the last of them.
func (b *traceBuffer) together() joint {
	end := b.read
	unpatched := b.current(&end).flags & smb.NeedsPatching
	for gap := b.step(&end); end.on; gap = b.step(&end) {
		r := b.current(&end)
		switch {
		case gap, r.count > 0 && r.seq.gone && r.flags&smb.ContinuesFromPrev == 0:
			return torn
		case r.count == 0:
			continue
		case r.flags&smb.ContinuesFromPrev == 0 || r.awaitsPatch():
			return apart
		}
		unpatched |= r.flags & smb.NeedsPatching
		if r.count == 1 && r.flags&smb.ContinuesOnNext != 0 {
			continue
		}
		done := b.join(end)
		if done == whole && unpatched != 0 && !b.patched() {
			done = broken
		}
		return done
	}
	return apart
}

// patched reports whether the packet in b.parts makes sense though lengths of it
// may be missing, and its producer is gone. Where one is missing four zeroes
// stand, of which the second would be a field without a number: the outermost
// message that was not ended tells.
func (b *traceBuffer) patched() bool {
	if len(b.parts) == 1 {
		return acceptable(b.parts[0])
	}
	return acceptable(bytes.Join(b.parts, nil))
}

func (b *traceBuffer) join(end cursor) joint {
	done := whole
	for {
		if r := b.current(&b.read); r.read < r.count && b.take(r, &b.parts) == senseless {
			done = broken
		}
		if b.read == end {
			return done
		}
		b.step(&b.read)
	}
}

// What became of a fragment.
type fragment int

const (
	taken fragment = iota
	empty
	senseless // and so is all that follows in the chunk
)

// take passes the next fragment of a chunk, and appends it to parts unless that
// is nil.
func (b *traceBuffer) take(r *record, parts *[][]byte) fragment {
	payload := b.payload(r)
	n, length := fragmentSize(payload[min(r.pos, len(payload)):])
	if length == 0 || n > len(payload)-r.pos-length {
		if n == abortedSize && length > 0 {
			b.count.writerPacketLoss++
		} else {
			b.count.abiViolations++
		}
		r.read, r.pos = r.count, 0
		b.passed(r)
		return senseless
	}
	from := r.pos + length
	r.pos = from + n
	r.read++
	r.skipped = false
	if r.read == r.count && r.complete {
		r.seq.sizes.add(int64(r.pos))
	}
	b.passed(r)
	if n == 0 {
		return empty
	}
	if parts != nil {
		*parts = append(*parts, payload[from:r.pos:r.pos])
	}
	return taken
}

// passed counts a chunk of which nothing is left to read.
func (b *traceBuffer) passed(r *record) {
	if r.read == r.count && r.complete {
		b.count.chunksRead++
		b.count.bytesRead += uint64(r.size)
	}
}

// abortedSize is the size of a packet that its writer gave up.
const abortedSize = 1<<28 - 1

// fragmentSize reads a size of up to four bytes, and how many they are: 0 when
// there is none.
func fragmentSize(b []byte) (n, length int) {
	v, length := protowire.ConsumeVarint(b[:min(4, len(b))])
	return int(v), max(0, length)
}
