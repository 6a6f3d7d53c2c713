package smb

import (
	"fmt"
	"runtime"
)

// Chunk is a copy of a chunk, as its writer described it. It is not checked: the
// writer id can be any, and [Chunk.Fragments] checks the packets.
type Chunk struct {
	Page, Index int    // where it was
	ID          uint32 // consecutive for each writer
	Writer      uint16
	// Count is the number of packets and fragments to read.
	Count int
	Flags Flags
	// Complete is false for a chunk that was copied while it was being written.
	Complete bool
	// Size is the chunk's size in the memory in bytes, header included.
	Size int
	// Payload is a copy of the bytes after the header: all of them, or, if the chunk is
	// not complete, those of Count packets. It belongs to the Chunk, and is overwritten
	// when the Chunk is next filled.
	Payload []byte
}

// copyWhole copies a chunk that its writer has completed.
func (c *Chunk) copyWhole(page, index int, mem []byte) {
	c.header(page, index, mem, loadWord[packetsWord](word(mem, 4)))
	c.Complete = true
	c.Payload = append(c.room(mem), mem[chunkHeader:]...)
}

// copyPart copies the whole packets of a chunk that is being written. It reports
// whether there are any. It reads only bytes that the count declares finished, each
// once.
func (c *Chunk) copyPart(page, index int, mem []byte) bool {
	w := loadWord[packetsWord](word(mem, 4))
	if w.count() < 2 {
		return false
	}
	c.header(page, index, mem, w)
	c.Complete = false
	c.Count--
	c.Flags &^= ContinuesOnNext | NeedsPatching
	c.Payload = copyPackets(c.room(mem), mem[chunkHeader:], c.Count)
	return true
}

// header sets all fields but the payload.
func (c *Chunk) header(page, index int, mem []byte, w packetsWord) {
	*c = Chunk{
		Page: page, Index: index,
		ID:     loadWord[uint32](word(mem, 0)),
		Writer: w.writer(), Count: w.count(), Flags: w.flags(),
		Size: len(mem), Payload: c.Payload,
	}
}

// room returns the payload, empty, with capacity for that of a chunk.
func (c *Chunk) room(mem []byte) []byte {
	if n := len(mem) - chunkHeader; cap(c.Payload) < n {
		return make([]byte, 0, n)
	}
	return c.Payload[:0]
}

// copyPackets appends count packets of src to dst, or all of src if they are
// invalid. It copies a size before using it.
func copyPackets(dst, src []byte, count int) []byte {
	base := len(dst)
	for range count {
		at := len(dst) - base
		for i := 0; i < sizeBytes && at+i < len(src); i++ {
			dst = append(dst, src[at+i])
			if dst[base+at+i] < 0x80 {
				break
			}
		}
		n, length := getSize(dst[base+at:])
		if length == 0 || n > len(src)-at-length {
			return append(dst[:base+at], src[at:]...)
		}
		dst = append(dst, src[at+length:at+length+n]...)
	}
	return dst
}

// ParseChunk fills c from the bytes of a chunk, header included, as sent with
// emulated memory. complete is false if the chunk was sent while being written.
func ParseChunk(c *Chunk, data []byte, complete bool) error {
	if len(data) <= chunkHeader || len(data) > MaxPageSize-pageHeader {
		return fmt.Errorf("%w: chunk of %d bytes", ErrCorrupt, len(data))
	}
	le := func(i int) uint32 {
		return uint32(data[i]) | uint32(data[i+1])<<8 | uint32(data[i+2])<<16 | uint32(data[i+3])<<24
	}
	w := packetsWord(le(4))
	*c = Chunk{
		ID: le(0), Writer: w.writer(), Count: w.count(), Flags: w.flags(), Complete: complete,
		Size: len(data), Payload: append(c.room(data), data[chunkHeader:]...),
	}
	if !complete {
		c.Count = max(0, c.Count-1)
		c.Flags &^= ContinuesOnNext | NeedsPatching
	}
	return nil
}

// Attempts of a compare-and-swap on a page word. A swap fails if the other side, or
// the owner of another chunk, was faster, at most a few times in a row. An owner
// that gave up would lose the chunk for both sides, so it yields to others instead.
const (
	readAttempts  = 64
	ownerAttempts = 1 << 14
)

// move moves a chunk from one state to the next. It fails if the page does not have
// the expected layout, or the chunk the expected state, or if the word changes
// during each attempt.
func (m *memory) move(page int, l Layout, i int, from, to State, attempts int) error {
	p := m.page(page)
	for n := 0; n < attempts; n++ {
		w := loadWord[pageWord](p)
		if w.layout() != l {
			return fmt.Errorf("%w: page %d has layout %d, not %d", ErrState, page, w.layout(), l)
		}
		if s := w.state(i); s != from {
			return fmt.Errorf("%w: chunk %d of page %d is %v, not %v", ErrState, i, page, s, from)
		}
		if swapWord(p, w, w.with(i, to)) {
			return nil
		}
		if n >= readAttempts {
			runtime.Gosched()
		}
	}
	return fmt.Errorf("%w: page %d", ErrBusy, page)
}

// free moves a chunk that the caller owns to Free. It zeroes the header first, so
// that it cannot be mistaken for the header of the next writer's chunk.
func (m *memory) free(page int, l Layout, i int, from State, attempts int) error {
	mem := m.chunk(page, l, i)
	storeWord[uint32](word(mem, 0), 0)
	storeWord[uint32](word(mem, 4), 0)
	return m.move(page, l, i, from, Free, attempts)
}

// owned is a chunk owned by a Writer.
type owned struct {
	page, index int
	layout      Layout
	id          uint32
	mem         []byte // header and payload
}
