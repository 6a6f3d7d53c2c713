package recorder

import (
	"encoding/binary"
	"weak"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
)

// liveThread is what the live file has of a thread.
type liveThread struct {
	slot        *live.Slot // nil if nothing
	name, stack *live.Piece
	old         *live.Piece // was the stack before the current transaction
	// parked is a chunk that was taken away and is in the sink, see park; the thread's swap
	// guards it.
	parked weak.Pointer[buffers.Chunk]
}

// park notes that a chunk which was taken away from the thread is in the sink. When its owner
// next calls unpark, the chunk is no longer in use. If the owner does not, the garbage
// collector finds it.
func (t *Thread) park(c *buffers.Chunk) {
	if !c.IsLive() {
		return
	}
	t.swap.Lock()
	t.file.live.parked = weak.Make(c)
	t.swap.Unlock()
	t.robbed.Store(true)
}

// unpark frees the memory of a parked chunk. The owner must call it while using no chunk but
// the current one.
func (t *Thread) unpark() {
	if !t.robbed.Load() {
		return
	}
	t.robbed.Store(false)
	t.swap.Lock()
	c := t.file.live.parked.Value()
	t.file.live.parked = weak.Pointer[buffers.Chunk]{}
	t.swap.Unlock()
	if c != nil && c != t.chunk.Load() {
		c.Release()
	}
}

// keepIn gives a new thread its slot. It has no id yet: see inUse.
func (lt *liveThread) keepIn(l *live.File, of string) {
	if l == nil {
		return
	}
	slot, err := l.Slot(live.Threads)
	if err != nil {
		return // no room: a crash loses the thread, and its chunks
	}
	clear(slot.Mem[8:])
	if n := len(of); n <= live.ShortName {
		copy(slot.Mem[live.ThreadShort:], of)
	} else {
		p, err := l.Alloc(int64(n))
		if err != nil {
			l.FreeSlot(slot)
			return
		}
		copy(p.Mem, of)
		slot.Put(live.ThreadShort, uint64(p.Off))
		lt.name = p
	}
	slot.Put(live.ThreadName, uint64(len(of)))
	lt.slot = slot
}

// inUse gives the slot the thread's id.
func (lt *liveThread) inUse(id int32) {
	if s := lt.slot; s != nil {
		s.Word(0).Store(live.SlotInUse | uint64(uint32(id)))
	}
}

// forgetLive frees what the live file has of a thread. mu is held.
func (t *Thread) forgetLive() {
	l := t.r.live
	if l == nil {
		return
	}
	lt := &t.file.live
	t.swap.Lock() // a chunk that begins looks at the slot
	slot := lt.slot
	lt.slot = nil
	t.swap.Unlock()
	if slot == nil {
		return
	}
	l.FreeSlot(slot)
	l.Free(lt.name)
	l.Free(lt.stack)
	lt.name, lt.stack = nil, nil
}

// passed notes that all of a chunk is in the sink, even if that is nothing: if the next chunk
// is found but not this one, none is missing. The thread's mu is held.
func (s *stream) passed(c *buffers.Chunk) {
	if c == nil || s.putChunk >= c.Number {
		return
	}
	s.putChunk = c.Number
	if slot := s.live.slot; slot != nil {
		slot.Word(live.ThreadPut).Store(c.Number)
	}
}

// keepEnd notes when the thread ended. Its swap is held.
func (lt *liveThread) keepEnd(reading uint64) {
	if s := lt.slot; s != nil {
		s.Word(live.ThreadEnded).Store(reading)
	}
}

// keepDropped notes how many trace points are missing, and the event id of the note, for
// Finish. The thread's swap is held.
func (lt *liveThread) keepDropped(note int32, n int64) {
	if s := lt.slot; s != nil {
		s.Word(live.ThreadNote).Store(uint64(note))
		s.Word(live.ThreadDropped).Store(uint64(n))
	}
}

// commit puts what is known of the thread into a transaction. The first low levels of its stack
// have not changed. The thread's mu is held.
func (s *stream) commit(l *live.File, tx *live.Tx, p buffers.Part, low int) error {
	lt := &s.live
	if lt.slot == nil {
		return nil
	}
	n := len(s.open)
	if lt.stack == nil && n > 0 || lt.stack != nil && n*live.StackEntry > len(lt.stack.Mem) {
		piece, err := l.Alloc(2 * int64(n) * live.StackEntry)
		if err != nil {
			return err
		}
		for i := range s.open {
			s.open[i].store(piece.Mem[i*live.StackEntry:])
		}
		lt.old, lt.stack = lt.stack, piece
		low = n
	}
	for i := low; i < n; i++ {
		var b [live.StackEntry]byte
		s.open[i].store(b[:])
		tx.Bytes(lt.stack.Off+int64(i)*live.StackEntry, b[:])
	}
	var b [live.ThreadPut + 8 - live.ThreadLogical]byte
	put := func(at int, v uint64) { binary.NativeEndian.PutUint64(b[at-live.ThreadLogical:], v) }
	put(live.ThreadLogical, uint64(s.logical))
	put(live.ThreadLatest, uint64(s.latest))
	put(live.ThreadReading, s.reading)
	put(live.ThreadDepth, buffers.Pack(s.blocks, n))
	if lt.stack != nil {
		put(live.ThreadStack, uint64(lt.stack.Off))
		put(live.ThreadStack+8, uint64(len(lt.stack.Mem)))
	}
	if p.Chunk != nil {
		s.putChunk = p.Chunk.Number
	}
	put(live.ThreadPut, s.putChunk)
	tx.Bytes(lt.slot.Off+live.ThreadLogical, b[:])
	if p.Chunk != nil && p.Chunk.IsLive() {
		tx.Put(p.Chunk.SlotOff()+live.ChunkFlushed, buffers.Pack(p.First+len(p.Data), p.Chunk.FlushedMarks+len(p.Marks)))
	}
	return nil
}

// store encodes a container as an entry of the stack.
func (c *container) store(b []byte) {
	binary.NativeEndian.PutUint64(b, uint64(c.start))
	binary.NativeEndian.PutUint64(b[8:], uint64(c.ns))
	binary.NativeEndian.PutUint64(b[16:], uint64(c.class))
	binary.NativeEndian.PutUint32(b[24:], uint32(c.iterations))
	binary.NativeEndian.PutUint32(b[28:], uint32(c.event))
}
