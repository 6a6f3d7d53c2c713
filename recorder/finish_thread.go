package recorder

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"

	"tracex/format"
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
	blocks, depth := unpack(word(live.ThreadDepth))
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
	of := make(map[*Thread][]*chunk)
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
		slices.SortFunc(chunks, func(a, b *chunk) int { return cmp.Compare(a.number, b.number) })
		if z.chain(t, chunks) {
			z.done.Short++
		}
		if t.full.first != nil {
			z.done.Threads++
		}
	}
	return nil
}

// chunk makes the chunk of a slot.
func (z *finisher) chunk(at int64) (*chunk, error) {
	word := func(off int64) uint64 { return z.rest.Uint(at + off) }
	size, n := unpack(word(live.ChunkSizes))
	published := word(live.ChunkPublished)
	if limit := word(live.ChunkLimit); limit&live.TakenAway != 0 {
		published = limit &^ live.TakenAway
	}
	c := &chunk{number: word(live.ChunkNumber), published: new(atomic.Uint64)}
	c.published.Store(published)
	c.flushed, c.flushedMarks = unpack(word(live.ChunkFlushed))
	bytes, marks := unpack(published)
	if bytes > size || marks > n || c.flushed > bytes || c.flushedMarks > marks {
		return nil, fmt.Errorf("%w: of a buffer of %d bytes and %d marks, %d and %d were published, %d and %d written", live.ErrDamaged,
			size, n, bytes, marks, c.flushed, c.flushedMarks)
	}
	piece := int64(word(live.ChunkPiece))
	var err error
	if c.data, err = z.rest.Bytes(piece, int64(size)); err != nil {
		return nil, err
	}
	b, err := z.rest.Bytes(piece+(int64(size)+7)&^7, int64(n)*markSize)
	if err != nil {
		return nil, err
	}
	c.marks = make([]mark, n)
	for i := range c.marks {
		c.marks[i] = mark{binary.NativeEndian.Uint64(b[i*markSize:]), binary.NativeEndian.Uint64(b[i*markSize+8:])}
	}
	return c, nil
}

// chain puts a thread's chunks one behind the other, as far as none is missing
// between and what is in them makes sense. It reports whether something is missing.
func (z *finisher) chain(t *Thread, chunks []*chunk) (short bool) {
	next, open := t.file.putChunk, t.classes()
	for _, c := range chunks {
		if c.number > next+1 {
			return true
		}
		next = max(next, c.number)
		p := c.pending()
		good := p
		if !z.blind {
			good, open = p.sound(t, open)
		}
		bytes, marks := len(good.data), len(good.marks)
		if bytes > 0 {
			c.published.Store(pack(c.flushed+bytes, c.flushedMarks+marks))
			t.full.add(c)
		}
		if bytes < len(p.data) || marks < len(p.marks) {
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
