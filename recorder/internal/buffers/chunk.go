// Package buffers has the memory into which goroutines record: chunks, each used by one
// goroutine, their published parts, and the pool that they come from.
package buffers

import (
	"sync/atomic"

	"tracex/recorder/internal/clock"
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
