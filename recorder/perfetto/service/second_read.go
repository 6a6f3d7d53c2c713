package service

import (
	"bytes"

	"tracex/recorder/perfetto/smb"
)

func (b *secondBuffer) rewind() {
	b.reading++
	b.outer, b.inner = 0, nil
}

// next reads in the order in which chunks came: up to each, what its sequence has.
func (b *secondBuffer) next() (p packet, ok bool) {
	for ; b.outer < b.ring.len(); b.outer++ {
		if r := b.ring.at(b.outer); b.inner == nil && r.seq != nil {
			b.inner = b.reader(r, false)
		}
		if b.inner == nil {
			continue
		}
		b.parts = b.parts[:0]
		if b.inner.next(&b.parts) {
			s := b.inner.seq
			p = packet{from: s.from, writer: s.id.writer, lost: s.lost, parts: b.parts}
			s.lost = 0
			return p, true
		}
		b.inner = nil
	}
	return packet{}, false
}

// secondReader reads what a sequence has, up to a chunk, and takes the chunks off
// that it has read.
type secondReader struct {
	b   *secondBuffer
	seq *secondSequence
	end *secondRecord
	// erase says that the chunks are overwritten: they are taken off, whatever is
	// missing.
	erase bool
}

func (b *secondBuffer) reader(end *secondRecord, erase bool) *secondReader {
	x := &secondReader{b, end.seq, end, erase}
	x.noteGap()
	return x
}

// noteGap notes when the sequence's first chunk does not follow upon the one that
// was taken off last, nor is that again.
func (x *secondReader) noteGap() {
	l, first := x.seq.left, x.seq.chunks[0]
	if l.known && first.id != l.id+1 && (l.complete || first.id != l.id) {
		x.seq.lost |= lossPresent | lossGap
	}
}

// next puts the next packet into parts. It returns false when there is none up to
// the end.
func (x *secondReader) next(parts *[][]byte) bool {
	b, s := x.b, x.seq
	if s.stuck == b.reading && !x.erase || len(s.chunks) == 0 {
		return false
	}
	for {
		r := s.chunks[0]
		f, ok := b.fragment(r)
		if !ok {
			if x.passed(r) {
				return false
			}
			continue
		}
		switch f.kind {
		case wholePacket:
			x.take(r, f)
			if f.size() == 0 {
				continue
			}
			if r.flags&smb.NeedsPatching != 0 && s.gone && !acceptable(f.bytes) {
				s.lost |= lossPresent | lossCorrupted
				continue
			}
			*parts = append(*parts, f.bytes)
			return true
		case lastPart, middlePart:
			s.lost |= lossPresent | lossOrphan
			x.take(r, f)
		case firstPart:
			why, done := x.together(r, f, parts)
			if done {
				b.count.readaheadsSucceeded++
				return true
			}
			b.count.readaheadsFailed++
			if why == 0 && !x.erase {
				s.stuck = b.reading
				return false
			}
			if why == 0 {
				why = lossOverwritten
			}
			s.lost |= lossPresent | why
		}
	}
}

// passed goes on from a chunk of which nothing is left to read. It returns true
// when it was the last.
func (x *secondReader) passed(r *secondRecord) (last bool) {
	b, s := x.b, x.seq
	if r.pos < r.end {
		s.lost |= lossPresent | lossCorrupted
	}
	if !r.complete && !x.erase && !s.gone {
		s.stuck = b.reading // it may get more packets
		return true
	}
	b.takeOff(s)
	if r == x.end || len(s.chunks) == 0 {
		return true
	}
	x.noteGap()
	return false
}

// take passes a fragment of a chunk.
func (x *secondReader) take(r *secondRecord, f secondFragment) {
	b := x.b
	r.pos += f.head + f.size()
	switch {
	case r.pos < r.end:
	case x.erase:
		b.count.chunksOverwritten++
		b.count.bytesOverwritten += uint64(r.size)
	default:
		b.count.chunksRead++
		b.count.bytesRead += uint64(r.size)
	}
}

// together puts the fragments of a packet into parts that begins in the
// sequence's first chunk. If they cannot be had it says why, or 0 if they may come
// yet; those that are there are passed then, unless they may still be read.
func (x *secondReader) together(r *secondRecord, f secondFragment, parts *[][]byte) (why loss, done bool) {
	type part struct {
		r *secondRecord
		f secondFragment
	}
	s := x.seq
	list := append(make([]part, 0, 8), part{r, f})
	unpatched := r.flags & smb.NeedsPatching
	waits := unpatched != 0 && !s.gone
	for i := 1; i < len(s.chunks) && !waits && why == 0 && !done; i++ {
		c := s.chunks[i]
		waits = c.flags&smb.NeedsPatching != 0 && !s.gone
		g, ok := x.b.fragment(c)
		switch {
		case waits:
		case c.id != s.chunks[i-1].id+1:
			why = lossTorn
		case !ok && c.pos < c.end:
			why = lossCorrupted
		case !ok: // empty
		case g.kind == middlePart || g.kind == lastPart:
			unpatched |= c.flags & smb.NeedsPatching
			list = append(list, part{c, g})
			done = g.kind == lastPart
		default:
			why = lossBroken
		}
	}
	if !done && why == 0 && !x.erase {
		return 0, false
	}
	for _, p := range list {
		if done && p.f.size() > 0 {
			*parts = append(*parts, p.f.bytes)
		}
		x.take(p.r, p.f)
	}
	if done && unpatched != 0 && !acceptable(bytes.Join(*parts, nil)) {
		*parts = (*parts)[:0]
		return lossCorrupted, false
	}
	return why, done
}

// secondFragment is a packet, or a part of one, in a chunk.
type secondFragment struct {
	kind  secondKind
	head  int // bytes of its size
	bytes []byte
}

func (f *secondFragment) size() int { return len(f.bytes) }

type secondKind int

const (
	wholePacket secondKind = iota
	firstPart
	middlePart
	lastPart
)

// fragment returns the next fragment of a chunk. It returns false when there is
// none, or it makes no sense: then the chunk is not at its end.
func (b *secondBuffer) fragment(r *secondRecord) (f secondFragment, ok bool) {
	rest := b.payload(r)[r.pos:]
	n, length := fragmentSize(rest)
	if length == 0 || n > len(rest)-length {
		return f, false
	}
	f = secondFragment{head: length, bytes: rest[length : length+n : length+n]}
	begins := r.pos > 0 || r.flags&smb.ContinuesFromPrev == 0
	ends := length+n < len(rest) || r.flags&smb.ContinuesOnNext == 0
	switch {
	case begins && ends:
	case begins:
		f.kind = firstPart
	case ends:
		f.kind = lastPart
	default:
		f.kind = middlePart
	}
	return f, true
}
