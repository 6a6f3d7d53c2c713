package recorder

import (
	"runtime"
	"unsafe"

	"tracex/recorder/internal/live"
)

// liveChunk is where a chunk has its memory in the live file.
type liveChunk struct {
	file  *live.File
	piece *live.Piece
	slot  *live.Slot
	gone  runtime.Cleanup
}

// makeLive makes a chunk in the live file; nil where that has no room. When the
// program has no more use for it, the garbage collector gives its memory back: a
// goroutine from which it was taken away may be writing to it until then.
func (p *pool) makeLive(size int) *chunk {
	l := p.live
	if l == nil {
		return nil
	}
	marks := p.marks(size)
	at := (int64(size) + 7) &^ 7
	piece, err := l.Alloc(at + int64(marks)*markSize)
	if err != nil {
		return nil
	}
	slot, err := l.Slot(live.Chunks)
	if err != nil {
		l.Free(piece)
		return nil
	}
	lc := &liveChunk{file: l, piece: piece, slot: slot}
	c := &chunk{data: piece.Mem[:size:size], live: lc, published: slot.Word(live.ChunkPublished)}
	if marks > 0 {
		c.marks = unsafe.Slice((*mark)(unsafe.Pointer(&piece.Mem[at])), marks)
	}
	slot.Put(live.ChunkPiece, uint64(piece.Off))
	slot.Put(live.ChunkSizes, pack(size, marks))
	lc.gone = runtime.AddCleanup(c, (*liveChunk).free, lc)
	return c
}

// warm has the chunks ready that the first goroutine begins with: the first store into
// a page of the live file takes some microseconds, and that call as much longer.
func (p *pool) warm() {
	for _, size := range []int{firstChunk, min(4*firstChunk, p.block)} {
		if c := p.get(size); c != nil {
			for at := 0; at < size; at += pageSize {
				c.data[at] = 0
			}
			c.marks[len(c.marks)-1] = mark{}
			p.put(c)
		}
	}
}

// pageSize is the least that pages have.
const pageSize = 4 << 10

func (lc *liveChunk) free() {
	lc.file.FreeSlot(lc.slot)
	lc.file.Free(lc.piece)
}

// release gives back the memory of a chunk that is no longer in use.
func (c *chunk) release() {
	if c.live != nil {
		c.live.gone.Stop()
		c.live.free()
		c.live = nil
	}
}

// forgotten notes that nothing of the chunk is worth keeping.
func (c *chunk) forgotten() {
	if c.live != nil {
		c.live.slot.Word(0).Store(0)
	}
}

// livens notes whose chunk it is from now on. The thread's swap is held. That the
// thread has begun a chunk of its number comes last: one that has begun and is not
// there had no room in the live file.
func (c *chunk) livens(t *Thread) {
	slot := t.file.live.slot
	if slot == nil {
		return
	}
	if c.live != nil {
		s := c.live.slot
		s.Put(live.ChunkNumber, c.number)
		s.Put(live.ChunkLimit, 0)
		s.Put(live.ChunkFlushed, 0)
		s.Word(0).Store(live.SlotInUse | uint64(uint32(t.id)))
	}
	slot.Word(live.ThreadBegun).Store(c.number)
}

// limited notes how much of a chunk that was taken away is good: its owner takes
// what it publishes behind that to another one. The thread's swap is held.
func (c *chunk) limited() {
	if c.live != nil {
		c.live.slot.Word(live.ChunkLimit).Store(live.TakenAway | c.taken)
	}
}
