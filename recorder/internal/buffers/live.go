package buffers

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"tracex/recorder/internal/live"
)

// liveChunk is where a chunk's memory is in the live file.
type liveChunk struct {
	file   *live.File
	region *live.Region
	slot   *live.Slot
	gone   runtime.Cleanup
}

// makeLive makes a chunk in the live file; nil if that has no room. The garbage collector frees
// its memory when the program no longer uses it: until then a goroutine from which it was taken
// away may be writing to it.
func (p *Pool) makeLive(size int) *Chunk {
	l := p.live
	if l == nil {
		return nil
	}
	marks := p.marks(size)
	at := (int64(size) + 7) &^ 7
	region, err := l.Alloc(at + int64(marks)*MarkSize)
	if err != nil {
		return nil
	}
	slot, err := l.Slot(live.Chunks)
	if err != nil {
		l.Free(region)
		return nil
	}
	lc := &liveChunk{file: l, region: region, slot: slot}
	c := &Chunk{Data: region.Mem[:size:size], live: lc, Published: slot.Word(live.ChunkPublished)}
	if marks > 0 {
		c.Marks = unsafe.Slice((*Mark)(unsafe.Pointer(&region.Mem[at])), marks)
	}
	slot.Put(live.ChunkRegion, uint64(region.Off))
	slot.Put(live.ChunkSizes, Pack(size, marks))
	lc.gone = runtime.AddCleanup(c, (*liveChunk).free, lc)
	return c
}

// Warm prepares the chunks that the first goroutine begins with: the first store into a page of
// the live file takes some microseconds, which that goroutine's call would take longer.
func (p *Pool) Warm() {
	for _, size := range []int{First, min(4*First, p.block)} {
		if c := p.Get(size); c != nil {
			for at := 0; at < size; at += pageSize {
				c.Data[at] = 0
			}
			c.Marks[len(c.Marks)-1] = Mark{}
			p.Put(c)
		}
	}
}

// pageSize is the smallest size of a page.
const pageSize = 4 << 10

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

// KeepLimit notes how much of a chunk that was taken away is valid: its owner moves what it
// publishes after that to another one. The thread's swap is held.
func (c *Chunk) KeepLimit() {
	if c.live != nil {
		c.live.slot.Word(live.ChunkLimit).Store(live.TakenAway | c.Taken)
	}
}

// KeepFor notes in the live file that the chunk belongs to a thread from now on. owner is the
// thread's slot, nil if it has none. The thread's swap is held. The number of the thread's
// begun chunks is stored last: a chunk that was begun but is missing had no room in the live
// file.
func (c *Chunk) KeepFor(owner *live.Slot, thread int32) {
	if owner == nil {
		return
	}
	if c.live != nil {
		s := c.live.slot
		s.Put(live.ChunkNumber, c.Number)
		s.Put(live.ChunkLimit, 0)
		s.Put(live.ChunkFlushed, 0)
		s.Word(0).Store(live.SlotInUse | uint64(uint32(thread)))
	}
	owner.Word(live.ThreadBegun).Store(c.Number)
}

// KeepSent notes in the live file how much of the chunk the sink has, in bytes and marks.
func (c *Chunk) KeepSent(bytes, marks int) {
	if c.live != nil {
		c.live.slot.Word(live.ChunkFlushed).Store(Pack(bytes, marks))
	}
}

// SlotOff returns the offset of the chunk's slot in the live file; 0 if it has none.
func (c *Chunk) SlotOff() int64 {
	if c.live == nil {
		return 0
	}
	return c.live.slot.Off
}

// IsLive reports whether the chunk's memory is in the live file.
func (c *Chunk) IsLive() bool { return c.live != nil }

// Restore returns the chunk whose slot is at an offset of a live file.
func Restore(rest *live.Rest, at int64) (*Chunk, error) {
	word := func(off int64) uint64 { return rest.Uint(at + off) }
	size, n := Unpack(word(live.ChunkSizes))
	published := word(live.ChunkPublished)
	if limit := word(live.ChunkLimit); limit&live.TakenAway != 0 {
		published = limit &^ live.TakenAway
	}
	c := &Chunk{Number: word(live.ChunkNumber), Published: new(atomic.Uint64)}
	c.Published.Store(published)
	c.Flushed, c.FlushedMarks = Unpack(word(live.ChunkFlushed))
	bytes, marks := Unpack(published)
	if bytes > size || marks > n || c.Flushed > bytes || c.FlushedMarks > marks {
		return nil, fmt.Errorf("%w: of a buffer of %d bytes and %d marks, %d and %d were published, %d and %d written", live.ErrDamaged,
			size, n, bytes, marks, c.Flushed, c.FlushedMarks)
	}
	region := int64(word(live.ChunkRegion))
	var err error
	if c.Data, err = rest.Bytes(region, int64(size)); err != nil {
		return nil, err
	}
	b, err := rest.Bytes(region+(int64(size)+7)&^7, int64(n)*MarkSize)
	if err != nil {
		return nil, err
	}
	c.Marks = make([]Mark, n)
	for i := range c.Marks {
		c.Marks[i] = Mark{Range: binary.NativeEndian.Uint64(b[i*MarkSize:]), Reading: binary.NativeEndian.Uint64(b[i*MarkSize+8:])}
	}
	return c, nil
}
