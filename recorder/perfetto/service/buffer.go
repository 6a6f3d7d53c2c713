package service

import (
	"iter"
	"slices"

	"tracex/recorder/perfetto/smb"
)

// traceBuffer is a [buffer] of the first kind, a ring. Nothing that a producer
// says is believed: a chunk that makes no sense costs its own sequence what is in
// it, and nobody else anything.
//
//	data  ┌────┬─────────┬────┬─────────┬───┬─────────┬───────┐
//	      │head│ payload │head│ payload │pad│head ... │ fresh │
//	      └────┴─────────┴────┴─────────┴───┴─────────┴───────┘
//	                     ▲ at: what is oldest is overwritten here
//
// A record is a chunk's payload behind recordHead bytes, rounded up to
// recordAlign. The head holds nothing here, what is known of a chunk is in its
// record; it is counted, so that as much fits as in the buffer of any other
// service, and the counters agree.
//
// The chunks of one writer, by the chunk's id, are a sequence. It is read in the
// order of the ids, and stops at a hole until the hole is filled; at a chunk of
// which lengths are missing until they are there; and behind one that was copied
// while it was being written until it is complete. When its producer is gone none
// of that can happen any more, and waiting would keep what was committed behind it
// for ever, as other services do: then reading goes on, without the packets that
// are not whole, and the next one says that something is missing.
type traceBuffer struct {
	data    []byte
	discard bool // keep what is old, and refuse what is new
	stopped bool // of a buffer that discards: it had to, and takes nothing more

	at    int
	ring  ring[*record]
	all   []*sequence // by producer, then writer
	byID  map[sequenceID]*sequence
	read  cursor
	parts [][]byte // scratch of next

	count counters
}

const (
	recordHead  = 16
	recordAlign = 16
	// recordMost is the most that a record takes. A page is less.
	recordMost = 1<<16 - 1
)

// source is who wrote a chunk, as the kernel told. One is shared by all chunks of
// a connection.
type source struct {
	producer uint32 // consecutive; never used again
	uid, pid int32  // -1: unknown
	machine  uint32 // 0: this one
}

// sequenceID names a sequence among those of a buffer.
type sequenceID struct {
	producer uint32
	writer   uint16
}

func (a sequenceID) compare(b sequenceID) int {
	if a.producer != b.producer {
		return int(int64(a.producer) - int64(b.producer))
	}
	return int(a.writer) - int(b.writer)
}

// sequence is what one writer wrote into a buffer.
type sequence struct {
	id     sequenceID
	last   uint32    // the newest chunk id that was written
	chunks []*record // by id, as numbers
	left   *record   // the chunk that was overwritten last; nil: none was
	part   *record   // the one that was so before it was complete
	gone   bool      // the producer is gone: nothing follows
	limit  bool      // chunks were refused
	never  uint32    // the newest of these
	sizes  histogram // bytes of packets in each chunk that was read
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
	from *source
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

// newTraceBuffer returns a buffer of size bytes.
func newTraceBuffer(size int, discard bool) *traceBuffer {
	b := &traceBuffer{data: make([]byte, size), discard: discard, byID: make(map[sequenceID]*sequence)}
	b.count.bufferSize = uint64(size)
	return b
}

func (b *traceBuffer) fresh() buffer      { return newTraceBuffer(len(b.data), b.discard) }
func (b *traceBuffer) size() int          { return len(b.data) }
func (b *traceBuffer) counted() *counters { return &b.count }

func (b *traceBuffer) histograms() iter.Seq2[sequenceID, *histogram] {
	return func(yield func(sequenceID, *histogram) bool) {
		for _, s := range b.all {
			if s.sizes.some() && !yield(s.id, &s.sizes) {
				return
			}
		}
	}
}

// write copies a chunk into the buffer, unless it is there already.
func (b *traceBuffer) write(from *source, c *smb.Chunk) {
	size := recordSize(c)
	if size > min(len(b.data), recordMost) {
		b.count.abiViolations++
		return
	}
	id := sequenceID{from.producer, c.Writer}
	seq := b.byID[id]
	if seq != nil {
		if i, ok := seq.find(c.ID); ok {
			b.rewrite(seq, seq.chunks[i], c, size)
			return
		}
	}
	if b.stopped || !b.room(size) {
		b.stopped = true
		b.count.chunksDiscarded++
		return
	}
	if seq == nil {
		seq = b.sequence(id)
	}
	r := &record{seq: seq, from: from, at: b.at, size: size, id: c.ID}
	b.fill(r, c)
	if l := seq.part; l != nil && l.id == r.id {
		// What was whole of it has been read already.
		r.read, r.pos, r.skipped = min(l.read, r.count), l.pos, l.skipped
	}
	b.ring.push(r)
	i, _ := seq.find(c.ID)
	seq.chunks = slices.Insert(seq.chunks, i, r)
	b.advance(size)
	b.count.chunksWritten++
	b.count.bytesWritten += uint64(size)
	if c.ID-seq.last < 1<<31-1 { // as ids wrap
		seq.last = c.ID
	} else {
		b.count.outOfOrder++
	}
}

func (b *traceBuffer) refuse(id sequenceID, chunk uint32) {
	if seq := b.byID[id]; seq != nil { // else reading begins behind it
		seq.limit, seq.never = true, chunk
	}
}

// recordSize is what a chunk takes in the ring, in bytes.
func recordSize(c *smb.Chunk) int {
	const header = 8 // of the chunk in shared memory
	return (max(c.Size-header, len(c.Payload)) + recordHead + recordAlign - 1) &^ (recordAlign - 1)
}

// sequence makes the sequence with an id.
func (b *traceBuffer) sequence(id sequenceID) *sequence {
	seq := &sequence{id: id}
	i, _ := slices.BinarySearchFunc(b.all, id, func(s *sequence, id sequenceID) int { return s.id.compare(id) })
	b.all = slices.Insert(b.all, i, seq)
	b.byID[id] = seq
	return seq
}

// rewrite takes a chunk again that is in the buffer: with more packets than
// before, after it was copied while it was being written.
func (b *traceBuffer) rewrite(seq *sequence, r *record, c *smb.Chunk, size int) {
	if r.size != size || r.count > c.Count || r.flags&c.Flags != r.flags {
		b.count.abiViolations++
		return
	}
	if r.count == c.Count {
		return
	}
	if i, ok := seq.find(c.ID + 1); ok && seq.chunks[i].read > 0 {
		b.count.abiViolations++ // what comes now would be read too late
		return
	}
	b.fill(r, c)
	b.count.chunksRewritten++
}

// fill takes what a chunk says into its record.
func (b *traceBuffer) fill(r *record, c *smb.Chunk) {
	r.flags, r.complete, r.count = c.Flags, c.Complete, c.Count
	payload := b.payload(r)
	clear(payload[copy(payload, c.Payload):])
}

// payload returns the bytes of a chunk behind its header, and some zeroes.
func (b *traceBuffer) payload(r *record) []byte { return b.data[r.at+recordHead : r.at+r.size] }

// patch puts late lengths into a chunk. With more, others are still to come. It
// reports whether all of it could be done.
func (b *traceBuffer) patch(id sequenceID, chunk uint32, patches []patch, more bool) bool {
	r := b.chunk(id, chunk)
	if r == nil {
		b.count.patchesFailed++
		return false
	}
	for i := range patches {
		if smb.Patch(b.payload(r), patches[i].offset, patches[i].data[:]) != nil {
			b.count.patchesFailed++
			return false
		}
	}
	b.count.patchesSucceeded += uint64(len(patches))
	if !more {
		r.flags &^= smb.NeedsPatching
	}
	return true
}

// patch is a length that came late.
type patch struct {
	offset uint32 // in the payload of the chunk
	data   [4]byte
}

func (b *traceBuffer) chunk(id sequenceID, chunk uint32) *record {
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

// leave says that a producer is gone. What it wrote stays.
func (b *traceBuffer) leave(producer uint32) {
	first, _ := slices.BinarySearchFunc(b.all, producer, func(s *sequence, p uint32) int {
		return int(int64(s.id.producer) - int64(p))
	})
	for _, s := range b.all[first:] {
		if s.id.producer != producer {
			break
		}
		s.gone = true
	}
}

// clone returns a copy that is independent of b: what was read of b is read of it
// too. Chunks may be written to neither while it is made.
func (b *traceBuffer) clone() buffer {
	c := &traceBuffer{
		data: slices.Clone(b.data), discard: b.discard, stopped: b.stopped, at: b.at,
		byID: make(map[sequenceID]*sequence, len(b.byID)), count: b.count,
	}
	c.count.unread()
	copies := make(map[*record]*record, b.ring.len())
	for _, s := range b.all {
		n := &sequence{id: s.id, last: s.last, left: s.left, part: s.part, gone: s.gone, limit: s.limit, never: s.never, chunks: make([]*record, len(s.chunks))}
		for i, r := range s.chunks {
			k := *r
			k.seq = n
			n.chunks[i], copies[r] = &k, &k
		}
		c.all = append(c.all, n)
		c.byID[s.id] = n
	}
	for r := range b.ring.all() {
		k := copies[r]
		if k == nil {
			k = &record{at: r.at, size: r.size} // padding
		}
		c.ring.push(k)
	}
	return c
}
