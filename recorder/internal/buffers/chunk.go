// Package buffers has the memory into which goroutines record: chunks, each used by one
// goroutine, their published parts, and the pool that they come from.
package buffers

import (
	"runtime"
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/live"
)

// Chunk is a buffer of one goroutine: the bytes of whole objects as they will be in the file,
// and a mark for each header and each footer among them.
//
//	data   | in the sink | published          | being written | free     |
//	       0          flushed             published        bytes           len(data)
//	        flusher reads ^        ^ flusher reads up to here
//
// Its states, and who moves it from one to the next:
//
//	         get, install: owner              follow: owner
//	free ────────────────────────► current ───────────────► set aside
//	 ▲ ▲                             │   │                       │
//	 │ └── grown, reuse: owner ──────┘   │ takeAway: flusher     │ takeFull: flusher
//	 │                                   ▼                       ▼
//	 │                                 taken                 being put
//	 │      putTaken: flusher            │                       │
//	 └───────────────────────────────────│───────────────────────┘
//	                                     ▼ collected, when no goroutine has it
//
// The owner is the goroutine that records into the current chunk. It alone writes after the
// published data, and then publishes it. A flusher is any goroutine that holds the thread's mu;
// it reads the published data. A change of state requires the thread's swap. Words that both
// sides use:
//
//	word             written by                 read by
//	Chunk.Published  owner, after each object   flusher, before it reads data and marks
//	buffer.chunk     the holder of swap         owner, before and after each object
//
// Both are variables of sync/atomic, whose operations have one order that all goroutines agree
// on. That settles what happens if a flusher takes a chunk away while its owner records, as it
// does from an idle thread:
//
//	owner    store published   load buffer.chunk
//	flusher  store buffer.chunk = nil   load published
//
// In any order, one of them sees what the other did: either the flusher has everything that the
// owner recorded, or the owner finds its chunk gone and moves the missing data to another one
// (writer.rescue). The flusher does both with swap held, and notes how far it has read, so the
// owner need not wait until that is in the sink.
//
// A chunk that was taken away is not reused, because its owner may be writing to it at that
// moment: the garbage collector frees it.
type Chunk struct {
	Data  []byte
	Marks []Mark
	// Published is the number of bytes, and in its low half of marks, that a flusher may read.
	// It is in the live file, as the chunk's memory is, if that has room for the chunk.
	Published *atomic.Uint64
	live      *liveChunk // nil if it is in the program's own memory

	Next *Chunk // in a list of chunks

	Number       uint64          // among the thread's chunks, from 1
	Restarts     []clock.Restart // of the clock's counter; guarded by the thread's swap
	Taken        uint64          // what was published when it was taken away; guarded by the thread's swap
	Flushed      int             // bytes that are in the sink; guarded by the thread's lock
	FlushedMarks int
}

// Pack packs a number of bytes and one of marks into a word, as in Published.
func Pack(bytes, marks int) uint64 { return uint64(bytes)<<32 | uint64(marks) }

func Unpack(p uint64) (bytes, marks int) { return int(p >> 32), int(uint32(p)) }

// Chunks is a list of chunks, oldest first.
type Chunks struct{ First, last *Chunk }

func (l *Chunks) Add(c *Chunk) {
	if l.First == nil {
		l.First = c
	} else {
		l.last.Next = c
	}
	l.last = c
}

// Begins makes c the chunk with this number among its thread's. restarts is how often the clock's
// counter has restarted so far. The thread's swap is held.
func (c *Chunk) Begins(number uint64, restarts int64) {
	c.Restarts = c.Restarts[:0]
	if restarts > 0 {
		c.Restarts = clock.WithRestart(c.Restarts, 0, restarts)
	}
	c.Number = number
}

// Mark is where a header or a footer is in a chunk, and when it was recorded.
type Mark struct {
	Range   uint64 // which bytes, and which of both it is
	Reading uint64 // of the recorder's clock; 0 if no times are wanted
}

// The range of a mark is
//
//	bit 63     1: footer
//	62 to 32   position of its kind byte
//	31 to 0    position after it
const footerMark = 1 << 63

// HeaderAt returns the range of a header's mark.
func HeaderAt(pos, end int) uint64 { return uint64(pos)<<32 | uint64(end) }

// FooterAt returns the range of a footer's mark.
func FooterAt(pos, end int) uint64 { return HeaderAt(pos, end) | footerMark }

func (m *Mark) Footer() bool { return m.Range&footerMark != 0 }

// Pos is the position of the object in the chunk.
func (m *Mark) Pos() int { return int(m.Range &^ footerMark >> 32) }

// End is the position after the object.
func (m *Mark) End() int { return int(uint32(m.Range)) }

// Moved returns the mark of an object that was moved to delta bytes earlier.
func (m Mark) Moved(delta int) Mark {
	m.Range -= uint64(delta)<<32 + uint64(delta)
	return m
}

// BytesPerMark is how many bytes of data a chunk has for each mark. A call without arguments
// takes 37 bytes and two marks.
const (
	BytesPerMark = 16
	MarkSize     = 16
)

// Part is the published part of a chunk that is not yet in the sink. First is its position in
// the chunk.
type Part struct {
	Data    []byte
	Marks   []Mark
	First   int
	Chunk   *Chunk // nil for a note, which is in no chunk
	Missing int64  // if above 0, it is only the note of so many missing trace points
}

// Pending returns the published part of a chunk that is not in the sink. The thread's lock is
// held.
func (c *Chunk) Pending() Part {
	return c.UpTo(c.Published.Load())
}

// UpTo returns the part that was published at some moment and is not in the sink. The thread's
// lock is held.
func (c *Chunk) UpTo(published uint64) Part {
	n, m := Unpack(published)
	return Part{Data: c.Data[c.Flushed:n], Marks: c.Marks[c.FlushedMarks:m], First: c.Flushed, Chunk: c}
}

// Written notes that a part is in the sink.
func (c *Chunk) Written(p Part) {
	c.Flushed += len(p.Data)
	c.FlushedMarks += len(p.Marks)
}

// EndsInHeader reports whether the last object is the header of a container.
func (p Part) EndsInHeader() bool {
	n := len(p.Marks)
	return n > 0 && !p.Marks[n-1].Footer() && p.Marks[n-1].End() == p.First+len(p.Data)
}

// Split cuts a part after about so many bytes, after a header or a footer.
func (p Part) Split(bytes int) (before, rest Part) {
	if len(p.Data) <= bytes {
		return p, Part{}
	}
	for i := range p.Marks {
		at := p.Marks[i].End()
		if i+1 < len(p.Marks) && at-p.First < bytes {
			continue
		}
		if at <= p.First || at-p.First >= len(p.Data) {
			break
		}
		return Part{Data: p.Data[:at-p.First], Marks: p.Marks[:i+1], First: p.First, Chunk: p.Chunk},
			Part{Data: p.Data[at-p.First:], Marks: p.Marks[i+1:], First: at, Chunk: p.Chunk}
	}
	return p, Part{}
}

// MarksBefore returns how many marks of the part's chunk precede the part.
func (p Part) MarksBefore() int {
	if p.Chunk == nil {
		return 0
	}
	return cap(p.Chunk.Marks) - cap(p.Marks) // it is a subslice of the chunk's
}

// Sound returns the longest prefix of a part that one goroutine could have recorded into a
// thread within open containers of these classes, and the classes of those open after it.
func (p Part) Sound(v format.Version, thread int32, open []format.Class) (Part, []format.Class) {
	good, marks := 0, 0
	for at := 0; at < len(p.Data); {
		var m *Mark
		if marks < len(p.Marks) && p.Marks[marks].Pos() == p.First+at {
			m = &p.Marks[marks]
		}
		n, after := soundObject(v, thread, p.Data[at:], m, open)
		if n == 0 {
			break
		}
		open = after
		at += n
		if m != nil {
			marks++
		}
		good = at
	}
	return Part{Data: p.Data[:good], Marks: p.Marks[:marks], First: p.First, Chunk: p.Chunk}, open
}

// soundObject returns the length of the object at the start of b, or 0 if it cannot be there,
// and the containers open after it.
func soundObject(v format.Version, thread int32, b []byte, m *Mark, open []format.Class) (int, []format.Class) {
	n, err := 0, error(nil)
	switch format.Kind(b[0]) {
	case format.KindTracePoint:
		var point format.Point
		n, err = v.DecodePoint(b, &point)
		if err != nil || point.Thread != thread || point.Class.Container() != (m != nil) || m != nil && m.Footer() {
			return 0, nil
		}
		if m != nil {
			open = append(open, point.Class)
		}
	case format.KindFooter:
		if len(open) == 0 || m == nil || !m.Footer() {
			return 0, nil
		}
		var footer format.Footer
		n, err = v.DecodeFooter(b, open[len(open)-1], &footer)
		open = open[:len(open)-1]
	default:
		return 0, nil
	}
	if err != nil || n <= 0 || m != nil && m.End()-m.Pos() != n {
		return 0, nil
	}
	return n, open
}

// liveChunk is where a chunk's memory is in the live file.
type liveChunk struct {
	file   *live.File
	region *live.Region
	slot   *live.Slot
	gone   runtime.Cleanup
}

func (lc *liveChunk) free() {
	lc.file.FreeSlot(lc.slot)
	lc.file.Free(lc.region)
}

// Release frees the memory of a chunk that is no longer in use.
func (c *Chunk) Release() {
	if c.live != nil {
		c.live.gone.Stop()
		c.live.free()
		c.live = nil
	}
}

// forgotten notes that nothing in the chunk is worth keeping.
func (c *Chunk) forgotten() {
	if c.live != nil {
		c.live.slot.Word(0).Store(0)
	}
}
