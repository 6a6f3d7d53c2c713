package recorder

import (
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/sink"
)

// Thread records what one goroutine does: a thread of the trace. Only one
// goroutine at a time may call its methods. Those of a nil Thread do nothing:
// that is how recording is switched off.
//
// It has more fields and methods than other types, as all that a recorded call touches
// lies side by side in it: a part that is reached by a pointer or an interface would cost
// each call. The methods in thread*.go, call.go, loop.go and points.go are the owner's;
// those in flush.go and reclaim.go are for other goroutines, which hold mu or swap.
type Thread struct {
	chunk atomic.Pointer[buffers.Chunk] // nil: none yet, or it was taken away

	// What follows is the owner's.
	bytes       int   // filled of the chunk; writing: a point is being written
	marks       int   // filled of the chunk
	next, limit int64 // event ids that are left: next to limit-1
	open        stack
	terms
	id       int32
	clocked  clocking
	lagging  bool // something is owed, lost or was dropped: the slow way is to be taken
	slow     bool // the slow way is being taken
	ended    bool
	owed     int32 // containers behind those of open that ended where there was no room
	batch    int32 // how many event ids are taken next
	lost     lost
	reserved int64 // bytes of memory

	name string
	// panics are those that may be going through open calls; nil: there are none,
	// and recover tells of all. It is the owner's.
	panics *panics
	from   *origin // of a thread that a context gave

	// mu is held while what is published is put into the sink: by one at a
	// time, who may wait for a disk.
	mu   sync.Mutex
	file stream

	// swap is held while the chunk becomes another one or none. Who has both
	// locks took mu first, and the recorder's mu before swap.
	swap sync.Mutex
	full buffers.Chunks // set aside: their parts come before the chunk's
	// What was dropped since the last note of it changes with swap held, so that
	// it is noted once, by the owner or by a flusher. The owner alone adds to it.
	dropped atomic.Int64 // trace points
	noteID  int32        // the event id of the note, if any were
	shut    bool         // the last note was taken: no more is counted

	slot     int32         // in the recorder's list, whose lock guards it
	held     int32         // in the list of holders, whose lock guards it
	due      atomic.Bool   // in the recorder's list of threads to be written
	robbed   atomic.Bool   // a chunk that was taken away waits for the owner, see park
	left     atomic.Bool   // ended, but its last block is not written
	nonsense atomic.Bool   // several goroutines used it: what it has is not to be trusted
	wants    atomic.Int64  // bytes of memory that it lacks, see want
	over     atomic.Uint64 // the clock's reading when it ended; 0: it did not
}

// writing is what Thread.bytes is while a point is being written: nothing fits
// behind it. A second goroutine that comes meanwhile is found out by it.
const writing = math.MaxInt/2 + 1

// clocking is where a thread has its times from.
type clocking uint8

const (
	noTimes clocking = iota
	byCounter
	byTime
)

// Sizes in the file, in bytes, of the larger version.
const (
	callRoom    = format.CallReceiverAt + countSize + format.CallFlagsSize                               // a call without its values
	callFooter  = format.CallResultAt + format.UTFHeadSize                                               // without its result
	owedRoom    = callFooter + format.ValueHeadSize22 + format.UTFHeadSize + len(format.UntrackedResult) // a footer that is owed
	droppedRoom = sink.NoteRoom                                                                          // the note of what was dropped
	countSize   = 4                                                                                      // of the number of arguments
)

// maxException is how many characters of the name of an exception's type are
// kept.
const maxException = 1000

// Enter begins a call of a method; what is recorded until its Exit or Panic is
// below it. receiver is Null for a function. args are the caller's again when
// Enter returns.
//
// Enter, Exit and Panic are for code that is generated: whatever is open is what
// Exit ends. [Thread.Call] is for functions that a person instruments.
func (t *Thread) Enter(m Method, at Location, receiver Value, args ...Value) {
	if t != nil {
		t.enter(m, at, &receiver, args, format.ClassCall)
	}
}

// enter begins a call. class says who ends it: ClassCall or boundCall.
func (t *Thread) enter(m Method, at Location, receiver *Value, args []Value, class format.Class) {
	method := int32(m) - 1
	if up := upper(int64(m)); up != t.tag|uint32(len(args)+1) && up != t.tag {
		method = t.anotherMethod(m)
	}
	need := callRoom + receiver.room(&t.terms)
	for i := range args {
		need += args[i].room(&t.terms)
	}
	c, from := t.chunk.Load(), t.bytes
	if !t.fits(c, from, need) || !t.open.fits() {
		if c, from = t.room(need, forHeader); c == nil {
			if t.handsOn() {
				if own := t.hands(true); own != nil {
					own.enter(m, at, receiver, args, class)
				}
				return
			}
			t.lose(format.ClassCall)
			return
		}
	}
	t.bytes = writing
	b := c.Data[from : from+need]
	t.head(b, format.ClassCall, t.place(at))
	putInt32(b[format.CallMethodAt:], method)
	n := format.CallReceiverAt
	if receiver.kind == nullKind {
		n += t.layout.put32(b[n:], nullKind, uint32(len(args)))
	} else {
		n += receiver.put(b[n:], &t.terms)
		putInt32(b[n:], int32(len(args)))
		n += countSize
	}
	for i := range args {
		n += args[i].put(b[n:], &t.terms)
	}
	b[n], b[n+1] = 0, 0 // flags
	t.open.push(class, int32(t.next))
	t.next++
	n += format.CallFlagsSize
	t.mark(c, buffers.HeaderAt(from, from+n), from+n)
}

// Exit ends the innermost call, and the loops that are still open in it. Without
// an open call, or where that is one which a [Call] ends, it does nothing, and is
// counted in [Saved.Misuse].
func (t *Thread) Exit(result Value) {
	if t != nil {
		t.leave(&result, "", format.ClassCall, Call{})
	}
}

// Panic ends the innermost call as one that did not return but threw, and the
// loops that are still open in it. exception is the name of a type, see
// [PanicType]; "" is shown as "<unknown>".
func (t *Thread) Panic(exception string) {
	if t != nil {
		if exception == "" {
			exception = "<unknown>"
		}
		if t.layout == nil {
			return // nothing is recorded
		}
		result := t.layout.thrown()
		t.leave(&result, exception, format.ClassCall, Call{})
	}
}

// leave ends a call: the innermost one that an Exit ends, or of class boundCall
// that of a handle.
func (t *Thread) leave(result *Value, exception string, class format.Class, h Call) {
	need := callFooter + result.room(&t.terms)
	if exception != "" {
		need += 1 + 3*min(len(exception), maxException) + len(ellipsis)
	}
	c, from := t.chunk.Load(), t.bytes
	if l := t.open.innermost(); l == nil || l.class != class || class == boundCall && l.count != h.event || !t.footerFits(c, from, need) {
		if class == boundCall {
			c, from = t.endRoom(h, need)
		} else {
			c, from = t.footerRoom(need)
		}
		if c == nil {
			if own := t.hands(false); own != nil && class != boundCall {
				own.leave(result, exception, class, h)
			}
			t.returned()
			return
		}
	}
	t.bytes = writing
	b := c.Data[from : from+need]
	var n int
	switch {
	case exception != "":
		n = t.threwFooter(b, result, exception)
	case result.kind == voidKind:
		binary.BigEndian.PutUint64(b, t.layout.void)
		n = t.layout.voidSize
	default:
		b[0] = byte(format.KindFooter)
		n = format.CallResultAt + result.put(b[format.CallResultAt:], &t.terms)
		b[n], b[n+1] = 0, 0
		n += t.layout.returned
	}
	t.open.pop()
	t.mark(c, buffers.FooterAt(from, from+n), from+n)
	if t.open.depth == 0 && t.from != nil {
		t.returned()
	}
}

// threwFooter writes the footer of a call that threw.
func (t *Thread) threwFooter(b []byte, result *Value, exception string) int {
	b[0] = byte(format.KindFooter)
	n := format.CallResultAt + result.put(b[format.CallResultAt:], &t.terms)
	return n + t.layout.putThrown(b[n:], exception)
}

// fits reports whether a point of need bytes can be written to c at once. That
// of a container takes a level of the stack besides.
func (t *Thread) fits(c *buffers.Chunk, from, need int) bool {
	return c != nil && !t.lagging && from+need <= len(c.Data) && t.marks < len(c.Marks) && t.next < t.limit
}

// footerFits is fits for a footer.
func (t *Thread) footerFits(c *buffers.Chunk, from, need int) bool {
	return c != nil && !t.lagging && from+need <= len(c.Data) && t.marks < len(c.Marks)
}

// head writes what all points begin with, and after it, in a container, that it has
// no diff statuses.
func (t *Thread) head(b []byte, class format.Class, place int32) {
	l := t.layout
	format.PutPointHead(b, l.points[class], place, t.id, int32(t.next), l.subtree)
}

// mark publishes a header or a footer with a mark.
func (t *Thread) mark(c *buffers.Chunk, place uint64, to int) {
	i := t.marks
	if i >= len(c.Marks) {
		t.bytes = to
		return // two goroutines were here at once
	}
	m := &c.Marks[i]
	m.Place = place
	if t.clocked == byCounter {
		m.Reading = counter()
	} else {
		m.Reading = t.time()
	}
	t.marks, t.bytes = i+1, to
	c.Published.Store(buffers.Pack(to, i+1))
	if t.chunk.Load() != c {
		t.rescue(c)
	}
}

// marked is mark for a footer that is owed.
func (t *Thread) marked(c *buffers.Chunk, m buffers.Mark, to int) {
	c.Marks[t.marks] = m
	t.marks, t.bytes = t.marks+1, to
	t.publish(c)
}

// leaf publishes the leaf that was written.
func (t *Thread) leaf(c *buffers.Chunk, to int) {
	t.next++
	t.bytes = to
	t.publish(c)
}

// publish lets a flusher have what was written.
func (t *Thread) publish(c *buffers.Chunk) {
	c.Published.Store(buffers.Pack(t.bytes, t.marks))
	if t.chunk.Load() != c {
		t.rescue(c)
	}
}

// now returns a reading of the clock, or 0 when no times are wanted.
func (t *Thread) now() uint64 {
	if t.clocked == byCounter {
		return counter()
	}
	return t.time()
}

// time is now where the processor has no counter that is good for it.
func (t *Thread) time() uint64 {
	if t.clocked == byTime {
		return t.r.clock.Read()
	}
	return 0
}
