package buffers

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"tracex/recorder/internal/live"
)

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
