package service

import (
	"iter"
	"slices"
	"sort"

	"tracex/recorder/perfetto/smb"
)

// secondBuffer is a [buffer] of the protocol's second kind, which a config asks
// for by experimental_mode. It differs from [traceBuffer] in this:
//
//   - A record is as long as the packets of its chunk, not as the chunk.
//   - What is read is gone from it: records become padding.
//   - Packets come in the order in which their chunks came, those of one sequence
//     in the order of its chunks' ids.
//   - A hole holds up nobody; what comes to fill it later is refused.
//   - A length that is missing holds up the one packet that it is missing of, and
//     what follows.
//   - A loss is told with its reasons, and only where there was one.
type secondBuffer struct {
	data    []byte
	discard bool // keep what is old, and refuse what is new
	stopped bool // of a buffer that discards: its end was reached

	at    int // where the next record goes
	ring  ring[*secondRecord]
	all   []*secondSequence // in the order in which they came
	byID  map[sequenceID]*secondSequence
	empty int    // sequences without a chunk
	age   uint64 // how often a sequence lost its last chunk

	reading uint64        // how often it was rewound
	outer   int           // in ring, of the record up to which is read
	inner   *secondReader // nil: there is none for it yet
	parts   [][]byte      // scratch of next

	count counters
}

// secondSequence is what one writer wrote into a buffer of the second kind.
type secondSequence struct {
	id     sequenceID
	from   *source
	chunks []*secondRecord // by id, as numbers go round
	left   secondLeft
	lost   loss   // before the packet that is read next
	stuck  uint64 // the reading for which there is no more
	age    uint64 // of it without chunks
	gone   bool   // the producer is gone: nothing follows
	sizes  histogram
}

// secondLeft is the chunk of a sequence that was taken off last.
type secondLeft struct {
	known    bool
	id       uint32
	size     int // bytes of packets
	complete bool
}

// secondRecord is a chunk in a buffer of the second kind, or padding.
type secondRecord struct {
	seq      *secondSequence // nil: padding
	at, size int             // in data; size is a multiple of recordAlign

	id       uint32
	flags    smb.Flags
	complete bool // else a later copy may have more packets
	room     int  // bytes that its packets may take
	end      int  // bytes that its packets take, with their sizes
	pos      int  // in these, of the next one
}

// newSecondBuffer returns a buffer of size bytes, or somewhat more.
func newSecondBuffer(size int, discard bool) *secondBuffer {
	const page = 4 << 10
	size = (max(size, 1) + page - 1) &^ (page - 1)
	b := &secondBuffer{data: make([]byte, size), discard: discard, byID: make(map[sequenceID]*secondSequence)}
	b.count.bufferSize = uint64(size)
	return b
}

func (b *secondBuffer) fresh() buffer      { return newSecondBuffer(len(b.data), b.discard) }
func (b *secondBuffer) size() int          { return len(b.data) }
func (b *secondBuffer) counted() *counters { return &b.count }

func (b *secondBuffer) histograms() iter.Seq2[sequenceID, *histogram] {
	return func(yield func(sequenceID, *histogram) bool) {
		for _, s := range b.all {
			if s.sizes.some() && !yield(s.id, &s.sizes) {
				return
			}
		}
	}
}

// payload returns the bytes of a record's packets.
func (b *secondBuffer) payload(r *secondRecord) []byte {
	return b.data[r.at+recordHead:][:r.end:r.end]
}

func (b *secondBuffer) write(from *source, c *smb.Chunk) {
	if b.stopped {
		b.count.chunksDiscarded++
		return
	}
	payload, aborted := b.packets(c)
	room := len(payload)
	if !c.Complete {
		const header = 8 // of the chunk in shared memory
		room = max(room, c.Size-header)
	}
	size := (recordHead + room + recordAlign - 1) &^ (recordAlign - 1)
	if size > min(len(b.data), recordMost) {
		b.count.abiViolations++
		return
	}
	s := b.sequence(from, c.Writer)
	s.sizes.add(int64(len(payload)))
	if aborted {
		b.count.writerPacketLoss++
		s.lost |= lossPresent | lossAborted
	}
	// Of a chunk that was taken off while it was being written, what it has more is
	// taken.
	again := s.left.known && s.left.id == c.ID && !s.left.complete && len(payload) > s.left.size
	if s.left.known && !again && !before(s.left.id, c.ID) {
		b.count.chunksDiscarded++
		return
	}
	r := &secondRecord{seq: s, size: size, id: c.ID, flags: c.Flags, complete: c.Complete, room: room, end: len(payload)}
	if again {
		r.pos = s.left.size
	}
	if i, ok := s.find(c.ID); ok {
		if !b.relocates(s.chunks[i], i, r) {
			b.rewrite(s.chunks[i], r, payload)
			return
		}
		b.count.chunksRelocated++
		r.pos = s.chunks[i].end
		b.takeOff(s)
	}
	if !b.makeRoom(size) {
		b.stopped = true
		b.count.chunksDiscarded++
		return
	}
	b.place(r, payload)
	b.forgetOld()
}

// refuse has nothing to do: nobody waits for a chunk.
func (b *secondBuffer) refuse(sequenceID, uint32) {}

// place puts a record where there is room for it.
func (b *secondBuffer) place(r *secondRecord, payload []byte) {
	s := r.seq
	if len(s.chunks) == 0 && s.age > 0 {
		b.empty--
	}
	i, _ := s.find(r.id)
	if i < len(s.chunks) {
		b.count.outOfOrder++
	}
	s.chunks = slices.Insert(s.chunks, i, r)
	r.at = b.at
	copy(b.payload(r), payload)
	b.ring.push(r)
	b.at += r.size
	b.count.chunksWritten++
	b.count.bytesWritten += uint64(r.size)
}

// packets returns the bytes of a chunk's packets that are whole, with their
// sizes, and whether its writer gave one up behind them.
func (b *secondBuffer) packets(c *smb.Chunk) (payload []byte, aborted bool) {
	at := 0
	for range c.Count {
		if at == len(c.Payload) {
			b.count.abiViolations++
			break
		}
		n, length := fragmentSize(c.Payload[at:])
		if length > 0 && n == abortedSize {
			return c.Payload[:at], true
		}
		if length == 0 || n > len(c.Payload)-at-length {
			b.count.abiViolations++
			break
		}
		at += length + n
	}
	return c.Payload[:at], false
}

// relocates reports whether a chunk that is there is to move to where is written
// now: what it has more would be overwritten too soon where it is. It was copied
// while it was being written, has been read, and is complete now.
func (b *secondBuffer) relocates(old *secondRecord, i int, r *secondRecord) bool {
	return !old.complete && old.pos == old.end && r.complete && r.end > old.end && r.flags&old.flags == old.flags &&
		r.end <= old.room && i == 0 && !b.discard
}

// rewrite takes a chunk again that is there: with more packets than before.
func (b *secondBuffer) rewrite(old, r *secondRecord, payload []byte) {
	if r.end < old.end || r.end > old.room || r.flags&old.flags != old.flags {
		b.count.abiViolations++
		return
	}
	old.complete = old.complete || r.complete
	if r.end == old.end {
		return
	}
	old.end = r.end
	old.flags |= r.flags
	copy(b.payload(old), payload)
	b.count.chunksRewritten++
}

// makeRoom makes room for size bytes at b.at, which may move for it to the front.
// It returns false when what is there must be kept.
func (b *secondBuffer) makeRoom(size int) bool {
	if end := len(b.data) - b.at; size > end {
		if b.discard {
			return false
		}
		// What was at the end stays, as padding.
		n := b.overwrite(end)
		for range n {
			r := b.ring.at(0)
			b.ring.drop(1)
			b.ring.push(r)
		}
		b.at = 0
		b.count.wraps++
	}
	n := b.overwrite(size)
	if n == 0 {
		return true
	}
	last := b.ring.at(n - 1)
	b.ring.drop(n)
	if more := last.at + last.size - b.at - size; more > 0 {
		b.ring.pushOldest(&secondRecord{at: b.at + size, size: more})
		b.count.paddingWritten += uint64(more)
	}
	return true
}

// overwrite gives up the records in the size bytes at b.at, and returns how many
// they are. They are padding then.
func (b *secondBuffer) overwrite(size int) (n int) {
	end := b.at
	for r := range b.ring.all() {
		if r.at != end || end >= b.at+size {
			break // behind is what was never written, or what stays
		}
		end += r.size
		n++
		if r.seq == nil {
			b.count.paddingCleared += uint64(r.size)
			continue
		}
		x := b.reader(r, true)
		unread := false
		for parts := [][]byte(nil); x.next(&parts); parts = parts[:0] {
			unread = true
		}
		if unread {
			x.seq.lost |= lossPresent | lossOverwritten
		}
	}
	return n
}

// takeOff makes padding of the first chunk of a sequence.
func (b *secondBuffer) takeOff(s *secondSequence) {
	r := s.chunks[0]
	s.left = secondLeft{known: true, id: r.id, size: r.end, complete: r.complete}
	s.chunks[0] = nil
	s.chunks = s.chunks[1:]
	r.seq = nil
	if len(s.chunks) == 0 {
		b.empty++
		b.age++
		s.age = b.age
	}
}

func (b *secondBuffer) patch(id sequenceID, chunk uint32, patches []patch, more bool) bool {
	s := b.byID[id]
	if s == nil {
		b.count.patchesFailed++
		return false
	}
	i, ok := s.find(chunk)
	if !ok {
		b.count.patchesFailed++
		return false
	}
	r := s.chunks[i]
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

// before reports whether a chunk's id is older than another, as they wrap.
func before(a, b uint32) bool { return int32(a-b) < 0 }

// find returns where the chunk with an id is, or belongs.
func (s *secondSequence) find(id uint32) (int, bool) {
	n := len(s.chunks)
	if n == 0 || before(s.chunks[n-1].id, id) { // most of the time
		return n, false
	}
	i := sort.Search(n, func(i int) bool { return !before(s.chunks[i].id, id) })
	return i, i < n && s.chunks[i].id == id
}

func (b *secondBuffer) sequence(from *source, writer uint16) *secondSequence {
	id := sequenceID{from.producer, writer}
	s := b.byID[id]
	if s == nil {
		s = &secondSequence{id: id, from: from}
		b.byID[id] = s
		b.all = append(b.all, s)
	}
	return s
}

func (b *secondBuffer) leave(producer uint32) {
	for _, s := range b.all {
		if s.id.producer == producer {
			s.gone = true
		}
	}
}

// emptyMost is how many sequences without a chunk are kept: they know what was
// read of them last, by which a later loss is noticed.
const emptyMost = 1024

// forgetOld forgets those that have been without a chunk for longest, a number of
// them at once.
func (b *secondBuffer) forgetOld() {
	if b.empty <= emptyMost+emptyMost/8 {
		return
	}
	var ages []uint64
	for _, s := range b.all {
		if len(s.chunks) == 0 {
			ages = append(ages, s.age)
		}
	}
	slices.Sort(ages)
	kept := ages[len(ages)-emptyMost]
	b.all = slices.DeleteFunc(b.all, func(s *secondSequence) bool {
		old := len(s.chunks) == 0 && s.age < kept
		if old {
			delete(b.byID, s.id)
		}
		return old
	})
	b.empty = emptyMost
}

func (b *secondBuffer) clone() buffer {
	c := &secondBuffer{
		data: slices.Clone(b.data), discard: b.discard, stopped: b.stopped, at: b.at,
		byID: make(map[sequenceID]*secondSequence, len(b.byID)), empty: b.empty, age: b.age, reading: b.reading, count: b.count,
	}
	c.count.unread()
	copies := make(map[*secondRecord]*secondRecord, b.ring.len())
	for _, s := range b.all {
		n := *s
		n.sizes, n.chunks = histogram{}, make([]*secondRecord, len(s.chunks))
		for i, r := range s.chunks {
			k := *r
			k.seq = &n
			n.chunks[i], copies[r] = &k, &k
		}
		c.all = append(c.all, &n)
		c.byID[s.id] = &n
	}
	for r := range b.ring.all() {
		k := copies[r]
		if k == nil {
			k = &secondRecord{at: r.at, size: r.size} // padding
		}
		c.ring.push(k)
	}
	return c
}
