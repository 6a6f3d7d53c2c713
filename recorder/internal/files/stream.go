package files

import (
	"encoding/binary"
	"fmt"
	"sync"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/remains"
)

// Stream is what the files need of a thread between its parts. Its owner has a lock that guards
// it.
type Stream struct {
	ID     int32
	blocks int32 // how many it has
	Name   string
	Live   live.Record
	Ended  uint64 // the clock's reading when the thread ended, once it has

	logical int64       // content bytes of its blocks so far
	open    []Container // those without a written footer, outermost first
	latest  int64       // when its last header or footer was, in ns
	reading uint64      // the clock's, at its last header or footer

	stack    *live.Region // what the live file has of open
	putChunk uint64       // the number of the last chunk that is at least partly in the sink
}

// Container is an open container with what its index cell and its time cell will need.
type Container struct {
	start      int64 // logical position of its first content byte
	ns         int64 // when it began
	event      int32
	iterations int32 // of a loop, so far
	class      format.Class
}

// push notes a container whose content starts at start. The fields are set one by one: a
// composite literal would be made elsewhere and copied, which takes longer than all the rest.
func (s *Stream) push(class format.Class, event int32, start int64) {
	n := len(s.open)
	if n < cap(s.open) {
		s.open = s.open[:n+1]
	} else {
		s.open = append(s.open, Container{})
	}
	c := &s.open[n]
	c.class, c.event, c.start, c.ns, c.iterations = class, event, start, s.latest, 0
}

func (s *Stream) Blocks() int { return int(s.blocks) }

// Open returns the classes of the open containers, outermost first.
func (s *Stream) Open() (open []format.Class) {
	for i := range s.open {
		open = append(open, s.open[i].class)
	}
	return open
}

// Rebase maps the readings of a part to the clock's line, in place, if its counter restarted
// since the recording began. swap guards what is known of restarts while the part was recorded.
func (s *Stream) Rebase(c *clock.Clock, swap sync.Locker, p buffers.Part) {
	n := len(p.Marks)
	if n == 0 || !c.HasCounter() {
		return
	}
	c.Notice() // of what happened before the part was published
	if c.Restarts() == 0 {
		s.reading = p.Marks[n-1].Reading
		return
	}
	swap.Lock()
	restarts := append([]clock.Restart(nil), p.Chunk.Restarts...)
	swap.Unlock()
	readings := make([]uint64, n)
	for i := range p.Marks {
		readings[i] = p.Marks[i].Reading
	}
	s.reading = c.Rebase(readings, p.Chunk.FlushedMarks, restarts, s.reading)
	for i := range p.Marks {
		p.Marks[i].Reading = readings[i]
	}
}

// End sets the reading of the clock when the thread ended. It is mapped to the clock's line.
func (s *Stream) End(c *clock.Clock, reading uint64) {
	s.Ended = reading
	if !c.HasCounter() {
		return
	}
	c.Notice()
	if c.Restarts() > 0 {
		s.Ended = c.Rebase([]uint64{reading}, 0, nil, s.reading)
	}
}

// Free frees what a live file has of the stream, given its record.
func (s *Stream) Free(l *live.File, had live.Record) {
	had.Free(l)
	if had.Slot() != nil {
		l.Free(s.stack)
		s.stack = nil
	}
}

// Passed notes that all of a chunk is in the sink, even if that is nothing: if the next chunk
// is found but not this one, none is missing. The stream's lock is held.
func (s *Stream) Passed(c *buffers.Chunk) {
	if c == nil || s.putChunk >= c.Number {
		return
	}
	s.putChunk = c.Number
	s.Live.KeepPut(c.Number)
}

// commit puts what is known of the thread into a transaction. The first low levels of its stack
// have not changed. It returns what the live file no longer needs then. The stream's lock is held.
func (s *Stream) commit(l *live.File, tx *live.Tx, p buffers.Part, low int) (old *live.Region, err error) {
	slot := s.Live.Slot()
	if slot == nil {
		return nil, nil
	}
	n := len(s.open)
	if s.stack == nil && n > 0 || s.stack != nil && n*live.StackEntry > len(s.stack.Mem) {
		region, err := l.Alloc(2 * int64(n) * live.StackEntry)
		if err != nil {
			return nil, err
		}
		for i := range s.open {
			s.open[i].store(region.Mem[i*live.StackEntry:])
		}
		old, s.stack = s.stack, region
		low = n
	}
	for i := low; i < n; i++ {
		var b [live.StackEntry]byte
		s.open[i].store(b[:])
		tx.Bytes(s.stack.Off+int64(i)*live.StackEntry, b[:])
	}
	var b [live.ThreadPut + 8 - live.ThreadLogical]byte
	put := func(at int, v uint64) { binary.NativeEndian.PutUint64(b[at-live.ThreadLogical:], v) }
	put(live.ThreadLogical, uint64(s.logical))
	put(live.ThreadLatest, uint64(s.latest))
	put(live.ThreadReading, s.reading)
	put(live.ThreadDepth, buffers.Pack(int(s.blocks), n))
	if s.stack != nil {
		put(live.ThreadStack, uint64(s.stack.Off))
		put(live.ThreadStack+8, uint64(len(s.stack.Mem)))
	}
	if p.Chunk != nil {
		s.putChunk = p.Chunk.Number
	}
	put(live.ThreadPut, s.putChunk)
	tx.Bytes(slot.Off+live.ThreadLogical, b[:])
	if p.Chunk != nil && p.Chunk.IsLive() {
		tx.Put(p.Chunk.SlotOff()+live.ChunkFlushed, buffers.Pack(p.First+len(p.Data), p.Chunk.FlushedMarks+len(p.Marks)))
	}
	return old, nil
}

// store encodes a container as an entry of the stack.
func (c *Container) store(b []byte) {
	binary.NativeEndian.PutUint64(b, uint64(c.start))
	binary.NativeEndian.PutUint64(b[8:], uint64(c.ns))
	binary.NativeEndian.PutUint64(b[16:], uint64(c.class))
	binary.NativeEndian.PutUint32(b[24:], uint32(c.iterations))
	binary.NativeEndian.PutUint32(b[28:], uint32(c.event))
}

// Restore returns the stream of a thread whose program ended, from its slot in the live file.
func Restore(rest *live.Rest, left *remains.Thread) (*Stream, error) {
	word := func(off int64) uint64 { return rest.Uint(left.At + off) }
	blocks, depth := buffers.Unpack(word(live.ThreadDepth))
	s := &Stream{
		ID: left.ID, Name: left.Name, blocks: int32(blocks), logical: int64(word(live.ThreadLogical)),
		latest: int64(word(live.ThreadLatest)), reading: word(live.ThreadReading), putChunk: left.PutChunk,
	}
	stack, err := rest.Bytes(int64(word(live.ThreadStack)), int64(depth)*live.StackEntry)
	if err != nil {
		return nil, err
	}
	for ; len(stack) > 0; stack = stack[live.StackEntry:] {
		c := restored(stack)
		if !c.class.Container() || c.start < 0 || c.start > s.logical {
			return nil, fmt.Errorf("%w: thread %d has open what is no call, loop or iteration", live.ErrDamaged, s.ID)
		}
		s.open = append(s.open, c)
	}
	return s, nil
}

// restored is the inverse of store.
func restored(b []byte) Container {
	return Container{
		start:      int64(binary.NativeEndian.Uint64(b)),
		ns:         int64(binary.NativeEndian.Uint64(b[8:])),
		class:      format.Class(binary.NativeEndian.Uint64(b[16:])),
		iterations: int32(binary.NativeEndian.Uint32(b[24:])),
		event:      int32(binary.NativeEndian.Uint32(b[28:])),
	}
}
