package tracebuf

import (
	"iter"
	"slices"

	"tracex/recorder/internal/perfetto/smb"
)

// Buffer is a ring of chunks. It must be used by one goroutine at a time.
//
//	data  ┌────┬─────────┬────┬─────────┬───┬─────────┬───────┐
//	      │head│ payload │head│ payload │pad│head ... │ fresh │
//	      └────┴─────────┴────┴─────────┴───┴─────────┴───────┘
//	                     ▲ at: the oldest data is overwritten here
//
// A record is recordHead bytes and a chunk's payload, rounded up to recordAlign. The
// head is unused, since the metadata of a chunk is in its record. It is counted all
// the same, so that the capacity and the counters agree with those of other
// services.
type Buffer struct {
	data    []byte
	discard bool // refuse new chunks when full, instead of overwriting old ones
	stopped bool // a buffer that discards has refused a chunk, and accepts no more

	at    int
	ring  ring
	all   []*sequence // by producer, then writer
	byID  map[SequenceID]*sequence
	read  iterator
	parts [][]byte // scratch of ReadNextPacket
	begin position // of the packet in parts

	count Stats
}

const (
	recordHead  = 16
	recordAlign = 16
	// maxRecord is the most that a record takes. A page is smaller.
	maxRecord = 1<<16 - 1
)

// New returns a buffer of size bytes. With discard a full buffer refuses new chunks;
// otherwise new chunks overwrite the oldest.
func New(size int, discard bool) *Buffer {
	b := &Buffer{data: make([]byte, size), discard: discard, byID: make(map[SequenceID]*sequence)}
	b.count.BufferSize = uint64(size)
	return b
}

// Fresh returns an empty buffer of the same size and kind.
func (b *Buffer) Fresh() *Buffer { return New(len(b.data), b.discard) }

// Size returns the size in bytes.
func (b *Buffer) Size() int { return len(b.data) }

// Stats returns the buffer's counters: the original, not a copy.
func (b *Buffer) Stats() *Stats { return &b.count }

// Sequences returns the sequences that have had a chunk read to its end, by
// producer, then writer.
func (b *Buffer) Sequences() iter.Seq[SequenceID] {
	return func(yield func(SequenceID) bool) {
		for _, s := range b.all {
			if s.drained && !yield(s.id) {
				return
			}
		}
	}
}

// CopyChunkUntrusted copies a chunk into the buffer, unless the buffer has it
// already. Nothing in the chunk is trusted: a malformed one loses packets of its own
// sequence only.
func (b *Buffer) CopyChunkUntrusted(from *Origin, c *smb.Chunk) {
	size := recordSize(c)
	if size > min(len(b.data), maxRecord) {
		b.count.ABIViolations++
		return
	}
	id := SequenceID{from.Producer, c.Writer}
	seq := b.byID[id]
	if seq != nil {
		if i, ok := seq.find(c.ID); ok {
			b.rewrite(seq, seq.chunks[i], c, size)
			return
		}
	}
	if b.stopped || !b.room(size) {
		b.stopped = true
		b.count.ChunksDiscarded++
		return
	}
	if seq == nil {
		seq = b.sequence(id)
	}
	r := &record{seq: seq, from: from, at: b.at, size: size, id: c.ID}
	b.fill(r, c)
	if l := seq.overwrittenPart; l != nil && l.id == r.id {
		// The packets that were complete have been read already.
		r.read, r.pos, r.skipped = min(l.read, r.count), l.pos, l.skipped
	}
	b.ring.push(r)
	i, _ := seq.find(c.ID)
	seq.chunks = slices.Insert(seq.chunks, i, r)
	b.advance(size)
	b.count.ChunksWritten++
	b.count.BytesWritten += uint64(size)
	if c.ID-seq.last < 1<<31-1 { // as ids wrap
		seq.last = c.ID
	} else {
		b.count.OutOfOrder++
	}
}

// RefuseChunk notes that a chunk of a sequence will never arrive, because its
// producer wrote too much, so that reading does not wait for it.
func (b *Buffer) RefuseChunk(id SequenceID, chunk uint32) {
	if seq := b.byID[id]; seq != nil { // otherwise reading begins after it
		seq.refuses, seq.refused = true, chunk
	}
}

// recordSize returns the bytes that a chunk takes in the ring.
func recordSize(c *smb.Chunk) int {
	const header = 8 // of the chunk in shared memory
	return (max(c.Size-header, len(c.Payload)) + recordHead + recordAlign - 1) &^ (recordAlign - 1)
}

// rewrite replaces a chunk that was copied while it was being written with a copy
// that has more packets.
func (b *Buffer) rewrite(seq *sequence, r *record, c *smb.Chunk, size int) {
	if r.size != size || r.count > c.Count || r.flags&c.Flags != r.flags {
		b.count.ABIViolations++
		return
	}
	if r.count == c.Count {
		return
	}
	if i, ok := seq.find(c.ID + 1); ok && seq.chunks[i].read > 0 {
		b.count.ABIViolations++ // the new packets would be read out of order
		return
	}
	b.fill(r, c)
	b.count.ChunksRewritten++
}

// fill copies a chunk's metadata into its record.
func (b *Buffer) fill(r *record, c *smb.Chunk) {
	r.flags, r.complete, r.count = c.Flags, c.Complete, c.Count
	payload := b.payload(r)
	clear(payload[copy(payload, c.Payload):])
}

// payload returns the bytes of a chunk after its header, padded with zeros.
func (b *Buffer) payload(r *record) []byte { return b.data[r.at+recordHead : r.at+r.size] }

// ProducerGone notes that a producer will write nothing more. Its data remains.
func (b *Buffer) ProducerGone(producer uint32) {
	first, _ := slices.BinarySearchFunc(b.all, producer, func(s *sequence, p uint32) int {
		return int(int64(s.id.Producer) - int64(p))
	})
	for _, s := range b.all[first:] {
		if s.id.Producer != producer {
			break
		}
		s.producerGone = true
	}
}

// Clone returns an independent copy. Packets already read from b count as read in
// the copy too.
func (b *Buffer) Clone() *Buffer {
	c := &Buffer{
		data: slices.Clone(b.data), discard: b.discard, stopped: b.stopped, at: b.at,
		byID: make(map[SequenceID]*sequence, len(b.byID)), count: b.count,
	}
	c.count.unread()
	copies := make(map[*record]*record, b.ring.len())
	for _, s := range b.all {
		n := &sequence{id: s.id, last: s.last, overwritten: s.overwritten, overwrittenPart: s.overwrittenPart, producerGone: s.producerGone, refuses: s.refuses, refused: s.refused, chunks: make([]*record, len(s.chunks))}
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

// Stats are the counters of a [Buffer]. Sizes are in bytes, of records. The
// fields are those of the protocol's BufferStats.
type Stats struct {
	BufferSize          uint64
	BytesWritten        uint64
	BytesOverwritten    uint64 // before they were read
	BytesRead           uint64
	PaddingWritten      uint64
	PaddingCleared      uint64
	ChunksWritten       uint64
	ChunksRewritten     uint64 // with more packets than before
	ChunksOverwritten   uint64 // before all of it was read
	ChunksDiscarded     uint64 // since the buffer was full and discards
	ChunksRead          uint64
	OutOfOrder          uint64 // chunks
	Wraps               uint64
	PatchesSucceeded    uint64
	PatchesFailed       uint64
	ReadaheadsSucceeded uint64
	ReadaheadsFailed    uint64
	ABIViolations       uint64
	WriterPacketLoss    uint64
}

// Changes returns a different value than before if anything was written into the
// buffer since.
func (c *Stats) Changes() uint64 { return c.BytesWritten + c.ChunksRewritten + c.PatchesSucceeded }

// unread resets the counters of what was read, for a clone.
func (c *Stats) unread() {
	c.BytesRead, c.ChunksRead = 0, 0
	c.ReadaheadsSucceeded, c.ReadaheadsFailed = 0, 0
}

func (b *Buffer) sequence(id SequenceID) *sequence {
	seq := &sequence{id: id}
	i, _ := slices.BinarySearchFunc(b.all, id, func(s *sequence, id SequenceID) int { return s.id.compare(id) })
	b.all = slices.Insert(b.all, i, seq)
	b.byID[id] = seq
	return seq
}

// chunk returns the record of a chunk, or nil if the buffer does not have it.
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
