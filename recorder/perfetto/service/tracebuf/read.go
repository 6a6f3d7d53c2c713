package tracebuf

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/recorder/internal/perfetto/smb"
)

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

// awaitsPatch reports whether a chunk still lacks lengths that may arrive.
func (r *record) awaitsPatch() bool { return r.flags&smb.NeedsPatching != 0 && !r.seq.producerGone }

// readPacket puts the next whole packet that begins in the current chunk into b.parts.
// It returns false if there is none. It sets lost when it had to skip one.
func (b *Buffer) readPacket(lost *bool) bool {
	r := b.current(&b.read)
	for r.read < r.count {
		b.parts, b.begin = b.parts[:0], position{r.id, r.read}
		last := r.read == r.count-1
		switch {
		case r.read == 0 && r.flags&smb.ContinuesFromPrev != 0:
			// The beginning was never read, and never will be.
			b.readFragment(r, nil)
		case last && r.flags&smb.ContinuesOnNext != 0:
			switch b.readAhead() {
			case incomplete:
				b.count.ReadaheadsFailed++
				b.read.valid = false
				return false
			case complete:
				b.count.ReadaheadsSucceeded++
				return true
			case fragmentLost:
				b.readFragment(r, nil)
			}
			r = b.current(&b.read) // the fragments were skipped
		default:
			switch b.readFragment(r, &b.parts) {
			case fragmentRead:
				if r.flags&smb.NeedsPatching == 0 || b.patched() {
					return true
				}
			case fragmentEmpty:
				continue
			}
		}
		r.skipped, *lost = true, true
	}
	return false
}

// readAheadResult is the result of joining the fragments of a packet.
type readAheadResult int

const (
	complete     readAheadResult = iota
	incomplete                   // some have not arrived yet
	malformed                    // all arrived, but make no sense
	fragmentLost                 // the next one never arrived, and never will
)

// readAhead puts the fragments of a packet that continues in the next chunks into
// b.parts, if all of them have arrived, and leaves the iterator at the last one.
func (b *Buffer) readAhead() readAheadResult {
	end := b.read
	unpatched := b.current(&end).flags & smb.NeedsPatching
	for gap := b.nextChunk(&end); end.valid; gap = b.nextChunk(&end) {
		r := b.current(&end)
		switch {
		case gap, r.count > 0 && r.seq.producerGone && r.flags&smb.ContinuesFromPrev == 0:
			return fragmentLost
		case r.count == 0:
			continue
		case r.flags&smb.ContinuesFromPrev == 0 || r.awaitsPatch():
			return incomplete
		}
		unpatched |= r.flags & smb.NeedsPatching
		if r.count == 1 && r.flags&smb.ContinuesOnNext != 0 {
			continue
		}
		done := b.readFragments(end)
		if done == complete && unpatched != 0 && !b.patched() {
			done = malformed
		}
		return done
	}
	return incomplete
}

// patched reports whether the packet in b.parts makes sense even though its producer
// is gone and lengths may be missing. A missing length is four zeros, and the second
// zero would be a field with the number 0: the outermost message that was not ended
// shows it.
func (b *Buffer) patched() bool {
	if len(b.parts) == 1 {
		return Acceptable(b.parts[0])
	}
	return Acceptable(bytes.Join(b.parts, nil))
}

func (b *Buffer) readFragments(end iterator) readAheadResult {
	done := complete
	for {
		if r := b.current(&b.read); r.read < r.count && b.readFragment(r, &b.parts) == fragmentMalformed {
			done = malformed
		}
		if b.read == end {
			return done
		}
		b.nextChunk(&b.read)
	}
}

// fragment is the result of reading a fragment.
type fragment int

const (
	fragmentRead fragment = iota
	fragmentEmpty
	fragmentMalformed // as is the rest of the chunk
)

// readFragment skips the next fragment of a chunk, and appends it to parts unless parts is
// nil.
func (b *Buffer) readFragment(r *record, parts *[][]byte) fragment {
	payload := b.payload(r)
	n, length := fragmentSize(payload[min(r.pos, len(payload)):])
	if length == 0 || n > len(payload)-r.pos-length {
		if n == abortedSize && length > 0 {
			b.count.WriterPacketLoss++
		} else {
			b.count.ABIViolations++
		}
		r.read, r.pos = r.count, 0
		b.countRead(r)
		return fragmentMalformed
	}
	from := r.pos + length
	r.pos = from + n
	r.read++
	r.skipped = false
	if r.read == r.count && r.complete {
		r.seq.drained = true
	}
	b.countRead(r)
	if n == 0 {
		return fragmentEmpty
	}
	if parts != nil {
		*parts = append(*parts, payload[from:r.pos:r.pos])
	}
	return fragmentRead
}

// countRead counts a chunk once all of it is read.
func (b *Buffer) countRead(r *record) {
	if r.read == r.count && r.complete {
		b.count.ChunksRead++
		b.count.BytesRead += uint64(r.size)
	}
}

// abortedSize is the size that marks a packet given up by its writer.
const abortedSize = 1<<28 - 1

// fragmentSize decodes a size of up to four bytes, and returns their number as
// length, 0 if invalid.
func fragmentSize(b []byte) (n, length int) {
	v, length := protowire.ConsumeVarint(b[:min(4, len(b))])
	return int(v), max(0, length)
}

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
