package recorder

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
)

// thread makes the thread of a slot.
func (z *finisher) thread(at int64) (*Thread, error) {
	word := func(off int64) uint64 { return z.rest.Uint(at + off) }
	t := &Thread{id: int32(uint32(word(0))), clocked: byTime}
	t.r, t.layout = z.r, z.r.layout
	name, size := at+live.ThreadShort, int64(word(live.ThreadName))
	if size > live.ShortName {
		name = int64(word(live.ThreadShort))
	}
	b, err := z.rest.Bytes(name, size)
	if err != nil {
		return nil, err
	}
	t.name = string(b)
	t.over.Store(word(live.ThreadEnded))
	t.file.putChunk, t.file.chunks = word(live.ThreadPut), word(live.ThreadBegun)
	if z.blind {
		return t, z.sharedThread(t, word)
	}
	blocks, depth := buffers.Unpack(word(live.ThreadDepth))
	s := &t.file
	s.logical, s.latest, s.reading, s.blocks = int64(word(live.ThreadLogical)), int64(word(live.ThreadLatest)), word(live.ThreadReading), blocks
	stack, err := z.rest.Bytes(int64(word(live.ThreadStack)), int64(depth)*live.StackEntry)
	if err != nil {
		return nil, err
	}
	for ; len(stack) > 0; stack = stack[live.StackEntry:] {
		c := container{
			start:      int64(binary.NativeEndian.Uint64(stack)),
			ns:         int64(binary.NativeEndian.Uint64(stack[8:])),
			class:      format.Class(binary.NativeEndian.Uint64(stack[16:])),
			iterations: int32(binary.NativeEndian.Uint32(stack[24:])),
			event:      int32(binary.NativeEndian.Uint32(stack[28:])),
		}
		if !c.class.Container() || c.start < 0 || c.start > s.logical {
			return nil, fmt.Errorf("%w: thread %d has open what is no call, loop or iteration", live.ErrDamaged, t.id)
		}
		s.open = append(s.open, c)
	}
	t.dropped.Store(int64(word(live.ThreadDropped)))
	t.noteID = int32(word(live.ThreadNote))
	return t, nil
}

// chunks gives the threads what they had published and what is in no block yet.
func (z *finisher) chunks(byID map[int32]*Thread) error {
	of := make(map[*Thread][]*buffers.Chunk)
	for at, err := range z.rest.Slots(live.Chunks) {
		if err != nil {
			return err
		}
		t := byID[int32(uint32(z.rest.Uint(at)))]
		if t == nil {
			continue // the thread has ended, all of it is in blocks
		}
		c, err := z.chunk(at)
		if err != nil {
			return err
		}
		if z.blind {
			send := z.sends[t]
			send.upTo(t, c)
		}
		of[t] = append(of[t], c)
	}
	for _, t := range byID {
		chunks := of[t]
		slices.SortFunc(chunks, func(a, b *buffers.Chunk) int { return cmp.Compare(a.Number, b.Number) })
		if z.chain(t, chunks) {
			z.done.Short++
		}
		if t.full.First != nil {
			z.done.Threads++
		}
	}
	return nil
}

// chunk makes the chunk of a slot.
func (z *finisher) chunk(at int64) (*buffers.Chunk, error) {
	word := func(off int64) uint64 { return z.rest.Uint(at + off) }
	size, n := buffers.Unpack(word(live.ChunkSizes))
	published := word(live.ChunkPublished)
	if limit := word(live.ChunkLimit); limit&live.TakenAway != 0 {
		published = limit &^ live.TakenAway
	}
	c := &buffers.Chunk{Number: word(live.ChunkNumber), Published: new(atomic.Uint64)}
	c.Published.Store(published)
	c.Flushed, c.FlushedMarks = buffers.Unpack(word(live.ChunkFlushed))
	bytes, marks := buffers.Unpack(published)
	if bytes > size || marks > n || c.Flushed > bytes || c.FlushedMarks > marks {
		return nil, fmt.Errorf("%w: of a buffer of %d bytes and %d marks, %d and %d were published, %d and %d written", live.ErrDamaged,
			size, n, bytes, marks, c.Flushed, c.FlushedMarks)
	}
	piece := int64(word(live.ChunkPiece))
	var err error
	if c.Data, err = z.rest.Bytes(piece, int64(size)); err != nil {
		return nil, err
	}
	b, err := z.rest.Bytes(piece+(int64(size)+7)&^7, int64(n)*buffers.MarkSize)
	if err != nil {
		return nil, err
	}
	c.Marks = make([]buffers.Mark, n)
	for i := range c.Marks {
		c.Marks[i] = buffers.Mark{Place: binary.NativeEndian.Uint64(b[i*buffers.MarkSize:]), Reading: binary.NativeEndian.Uint64(b[i*buffers.MarkSize+8:])}
	}
	return c, nil
}

// chain puts a thread's chunks one behind the other, as far as none is missing
// between and what is in them makes sense. It reports whether something is missing.
func (z *finisher) chain(t *Thread, chunks []*buffers.Chunk) (short bool) {
	next, open := t.file.putChunk, t.classes()
	for _, c := range chunks {
		if c.Number > next+1 {
			return true
		}
		next = max(next, c.Number)
		p := c.Pending()
		good := p
		if !z.blind {
			good, open = t.sound(p, open)
		}
		bytes, marks := len(good.Data), len(good.Marks)
		if bytes > 0 {
			c.Published.Store(buffers.Pack(c.Flushed+bytes, c.FlushedMarks+marks))
			t.full.Add(c)
		}
		if bytes < len(p.Data) || marks < len(p.Marks) {
			return true
		}
	}
	return next < t.file.chunks
}

// classes returns the classes of the thread's open containers.
func (t *Thread) classes() []format.Class {
	open := make([]format.Class, len(t.file.open))
	for i := range open {
		open[i] = t.file.open[i].class
	}
	return open
}
