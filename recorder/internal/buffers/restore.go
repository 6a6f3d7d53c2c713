package buffers

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"tracex/recorder/internal/live"
)

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
