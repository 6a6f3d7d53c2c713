package tracebuf

import (
	"iter"
	"slices"
)

// ring holds the records of a buffer, oldest first.
type ring struct {
	records []*record
	first   int // index in records
}

func (g *ring) len() int { return len(g.records) - g.first }

func (g *ring) push(r *record) {
	if g.first > 64 && g.first > len(g.records)/2 {
		g.records = append(g.records[:0], g.records[g.first:]...)
		clear(g.records[len(g.records):cap(g.records)])
		g.first = 0
	}
	g.records = append(g.records, r)
}

// drop removes the n oldest records.
func (g *ring) drop(n int) {
	clear(g.records[g.first : g.first+n])
	g.first += n
}

// pushOldest adds a record before all others.
func (g *ring) pushOldest(r *record) {
	if g.first == 0 {
		g.records = slices.Insert(g.records, 0, r)
		return
	}
	g.first--
	g.records[g.first] = r
}

func (g *ring) all() iter.Seq[*record] { return slices.Values(g.records[g.first:]) }

// room makes room for size bytes at b.at, which may wrap to the front. It returns
// false if the data there must be kept.
func (b *Buffer) room(size int) bool {
	if end := len(b.data) - b.at; size > end {
		if _, ok := b.overwrite(end); !ok {
			return false
		}
		b.pad(end, (*ring).push)
		b.at = 0
		b.count.Wraps++
	}
	gap, ok := b.overwrite(size)
	if !ok {
		return false
	}
	if gap > 0 {
		b.at += size
		b.pad(gap, (*ring).pushOldest)
		b.at -= size
	}
	return true
}

// pad adds padding of size bytes at b.at.
func (b *Buffer) pad(size int, push func(*ring, *record)) {
	if size == 0 {
		return
	}
	push(&b.ring, &record{at: b.at, size: size})
	b.count.PaddingWritten += uint64(size)
}

// advance moves b.at past size written bytes.
func (b *Buffer) advance(size int) {
	b.at += size
	if b.at == len(b.data) {
		b.at = 0
		b.count.Wraps++
	}
}

// overwrite removes the records in the size bytes at b.at, and returns by how many
// bytes the last of them exceeds the range. If a buffer that discards has unread
// data there, it removes nothing and returns false.
func (b *Buffer) overwrite(size int) (more int, ok bool) {
	n, end := 0, b.at
	for r := range b.ring.all() {
		if r.at != end || end >= b.at+size {
			break // the rest was never written, or stays
		}
		if b.discard && r.seq != nil && r.read < r.count {
			return 0, false
		}
		end = r.at + r.size
		n++
	}
	for _, r := range b.ring.records[b.ring.first : b.ring.first+n] {
		b.giveUp(r)
	}
	b.ring.drop(n)
	return max(0, end-b.at-size), true
}

// giveUp removes a record that is overwritten.
func (b *Buffer) giveUp(r *record) {
	if r.seq == nil {
		b.count.PaddingCleared += uint64(r.size)
		return
	}
	if r.read < r.count {
		b.count.ChunksOverwritten++
		b.count.BytesOverwritten += uint64(r.size)
	}
	s := r.seq
	s.overwritten = r
	if !r.complete {
		s.overwrittenPart = r
	}
	if i, ok := s.find(r.id); ok {
		if i == 0 {
			s.chunks[0] = nil
			s.chunks = s.chunks[1:]
		} else {
			s.chunks = slices.Delete(s.chunks, i, i+1)
		}
	}
	if len(s.chunks) == 0 && s.producerGone {
		delete(b.byID, s.id)
		b.all = slices.DeleteFunc(b.all, func(other *sequence) bool { return other == s })
	}
}
