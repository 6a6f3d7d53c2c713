package recorder

import (
	"sync/atomic"

	"tracex/recorder/internal/clock"
)

// chunk is a buffer of one goroutine: the bytes of whole objects as they will
// stand in the file, and a mark for each header and each footer among them.
//
//	data   | in the sink | published          | being written | free     |
//	       0          flushed             published        t.bytes  len(data)
//	        flusher reads ^        ^ flusher reads up to here
//
// Its states, and who moves it from one to the next:
//
//	         get, install: owner              follow: owner
//	free ────────────────────────► current ───────────────► set aside
//	 ▲ ▲                             │   │                       │
//	 │ └── grown, again: owner ──────┘   │ takeAway: flusher     │ takeFull: flusher
//	 │                                   ▼                       ▼
//	 │                                 taken                 being put
//	 │      putTaken: flusher            │                       │
//	 └───────────────────────────────────│───────────────────────┘
//	                                     ▼ collected, when no goroutine has it
//
// The owner is the one goroutine that records into the current chunk. It writes
// behind what is published, then publishes, and it alone does. A flusher is any
// goroutine that holds the thread's mu; it reads what is published. A change of
// state holds the thread's swap. Words that both sides touch:
//
//	word             written by                 read by
//	chunk.published  owner, after each object   flusher, before it reads data and marks
//	Thread.chunk     whoever holds swap         owner, before and after each object
//
// Both are atomic variables of sync/atomic, whose operations have one order that
// all goroutines agree on. That settles what happens when a flusher takes a chunk
// away while its owner records, as it does from an idle thread:
//
//	owner    store published   load Thread.chunk
//	flusher  store Thread.chunk = nil   load published
//
// Whatever the order, one of them sees what the other did: either the flusher
// has all that the owner recorded, or the owner finds its chunk gone and takes
// what is missing to another one, see rescue. The flusher does both with swap held
// and notes how far it has read, so that the owner need not wait until that is in
// the sink.
//
// A chunk that was taken away is not used again, because its owner may be writing
// to it at that moment: the garbage collector gets it.
type chunk struct {
	data  []byte
	marks []mark
	// published is the number of bytes, and in its low half of marks, that a
	// flusher may read. With the chunk's memory it is in the live file, if that
	// has room for it.
	published *atomic.Uint64
	live      *liveChunk // nil: it is in the program's own memory

	next *chunk // in a list of chunks

	number       uint64       // among the thread's chunks, from 1
	turns        []clock.Turn // of the clock's counter; the thread's swap guards it
	taken        uint64       // what was published when it was taken away; the thread's swap guards it
	flushed      int          // bytes that are in the sink; the thread's lock guards it
	flushedMarks int
}

func pack(bytes, marks int) uint64 { return uint64(bytes)<<32 | uint64(marks) }

func unpack(p uint64) (bytes, marks int) { return int(p >> 32), int(uint32(p)) }

// chunks is a list of chunks, oldest first.
type chunks struct{ first, last *chunk }

func (l *chunks) add(c *chunk) {
	if l.first == nil {
		l.first = c
	} else {
		l.last.next = c
	}
	l.last = c
}

// mark is where in a chunk a header or a footer stands, and when it was made.
type mark struct {
	place   uint64
	reading uint64 // of the recorder's clock; 0 when no times are wanted
}

// The place of a mark is
//
//	bit 63     1: footer
//	62 to 32   position of its kind byte
//	31 to 0    position behind it
const footerMark = 1 << 63

func headerAt(pos, behind int) uint64 { return uint64(pos)<<32 | uint64(behind) }
func footerAt(pos, behind int) uint64 { return headerAt(pos, behind) | footerMark }

func (m *mark) footer() bool { return m.place&footerMark != 0 }
func (m *mark) pos() int     { return int(m.place &^ footerMark >> 32) }
func (m *mark) behind() int  { return int(uint32(m.place)) }

// moved returns the mark of an object that now stands delta bytes earlier.
func (m mark) moved(delta int) mark {
	m.place -= uint64(delta)<<32 + uint64(delta)
	return m
}

// bytesPerMark is how many bytes of data a chunk has for each mark. A call
// without arguments takes 37 bytes and two marks.
const (
	bytesPerMark = 16
	markSize     = 16
)

// part is what is published of a chunk and not yet in the sink. first is its
// position in the chunk.
type part struct {
	data    []byte
	marks   []mark
	first   int
	of      *chunk // nil: a note, which is in none
	missing int64  // it is the note of so many trace points, and nothing else
}

// pending returns what is published of a chunk and not in the sink. The
// thread's lock is held.
func (c *chunk) pending() part {
	return c.upTo(c.published.Load())
}

// upTo returns what is not in the sink of what was published at some moment. The
// thread's lock is held.
func (c *chunk) upTo(published uint64) part {
	n, m := unpack(published)
	return part{data: c.data[c.flushed:n], marks: c.marks[c.flushedMarks:m], first: c.flushed, of: c}
}

// written notes that a part is in the sink.
func (c *chunk) written(p part) {
	c.flushed += len(p.data)
	c.flushedMarks += len(p.marks)
}

// endsInHeader reports whether the last object is the header of a container.
func (p part) endsInHeader() bool {
	n := len(p.marks)
	return n > 0 && !p.marks[n-1].footer() && p.marks[n-1].behind() == p.first+len(p.data)
}
