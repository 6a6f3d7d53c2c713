package raw

import (
	"encoding/binary"
	"math"
)

// Chunk is the head of a chunk, with its place.
type Chunk struct {
	Offset  int64 // in the file
	Size    int   // with the head
	Kind    uint32
	Stream  uint64
	Counter uint64
	Nanos   uint64
	Later   uint32 // counts from Counter to the reading of Nanos; LaterMost: unknown
	LeftOut uint32 // so far
}

// End returns the offset at which the chunk ends.
func (c *Chunk) End() int64 { return c.Offset + int64(c.Size) }

// First reports whether a chunk is in the first part.
func (h *Header) First(c *Chunk) bool { return h.Ring == 0 || c.Offset < int64(h.Ring) }

// LeftOut reads how many calls have been left out by now; if it cannot, it returns c.LeftOut.
func (f *File) LeftOut(c *Chunk) uint32 {
	var b [4]byte
	if n, err := f.read(b[:], c.Offset+AtChunkLeftOut); err != nil || n < len(b) {
		return c.LeftOut
	}
	return binary.LittleEndian.Uint32(b[:])
}

// Chunks finds the chunks of a file, in order. A copy continues from the same place and shares the
// window.
type Chunks struct {
	*Window
	at place
}

// place is where a chunk may begin.
type place struct {
	offset, end int64 // end: of the segment
	segment     uint32
}

// Chunks returns the chunks of the file, which are read through w.
func (f *File) Chunks(w *Window) Chunks {
	c := Chunks{Window: w, at: place{offset: int64(f.Head.Segments)}}
	c.at.end = c.at.offset + f.segment(0)
	return c
}

func (f *File) segment(k uint32) int64 {
	return 1 << min(uint64(f.Head.FirstShift)+uint64(k), uint64(f.Head.MostShift))
}

// Offset returns where the next chunk may begin.
func (c *Chunks) Offset() int64 { return c.at.offset }

// holeUnit is how many bytes without a chunk are read before the system is asked where the file has
// data. Segments that a program has dropped are holes.
const holeUnit = 1 << 20

// skip moves to the next data of the file. It reports false if there is none.
func (c *Chunks) skip() bool {
	data, ok := c.f.nextData(c.at.offset)
	if !ok {
		return false
	}
	for data >= c.at.end {
		if !c.at.next(c.f) {
			return false
		}
	}
	c.at.offset = max(c.at.offset, data&^(ChunkUnit-1))
	return true
}

// next moves to the next segment. It reports false if there can be none.
func (p *place) next(f *File) bool {
	if p.end > math.MaxInt64/4 {
		return false
	}
	p.offset = p.end
	p.segment++
	p.end += f.segment(p.segment)
	return true
}

// Next returns the next chunk. ok is false if there is none, or none yet. Next passes over at most
// over bytes without a chunk. An [*Error] reports damage: call Next again to continue after it.
func (c *Chunks) Next(over int64) (chunk Chunk, ok bool, err error) {
	le := binary.LittleEndian
	for at := c.at.offset; ; {
		if c.at.offset+ChunkHead > c.at.end && !c.at.next(c.f) {
			return chunk, false, nil
		}
		data, seen, err := c.Read(c.at.offset, ChunkHead)
		if err != nil || len(data) < ChunkHead {
			return chunk, false, err
		}
		if le.Uint32(seen[AtChunkWord:]) != 0 {
			if chunk, err = c.chunk(data); err == nil && chunk.Kind == ChunkRest {
				at = c.at.offset
				continue
			}
			return chunk, err == nil, err
		}
		if c.at.offset-at >= over {
			return chunk, false, nil
		}
		c.at.offset += ChunkUnit
		if c.at.offset%holeUnit == 0 && !c.live && !c.skip() {
			return chunk, false, nil
		}
	}
}

// chunk takes the chunk whose head is data, and moves past it.
func (c *Chunks) chunk(data []byte) (Chunk, error) {
	le := binary.LittleEndian
	chunk := Chunk{Offset: c.at.offset, Kind: le.Uint32(data[AtChunkWord:]), Stream: le.Uint64(data[AtChunkStream:]),
		Counter: le.Uint64(data[AtChunkCounter:]), Nanos: le.Uint64(data[AtChunkNanos:]), LeftOut: le.Uint32(data[AtChunkLeftOut:]), Later: le.Uint32(data[AtChunkLater:])}
	size, rest := int64(le.Uint32(data[AtChunkSize:])), c.at.end-c.at.offset
	c.at.offset += ChunkUnit
	switch {
	case chunk.Kind != ChunkEvents && chunk.Kind != ChunkDescriptors && chunk.Kind != ChunkRest:
		return chunk, c.f.Fault(chunk.Offset, "a chunk that begins with %#x", chunk.Kind)
	case size < ChunkHead || size > mostChunk || size > rest:
		return chunk, c.f.Fault(chunk.Offset+AtChunkSize, "a chunk of %d bytes, %d before the end of its segment", size, rest)
	}
	c.at.offset += (size - 1) / ChunkUnit * ChunkUnit
	chunk.Size = int(size)
	return chunk, nil
}

// Window reads a file through a buffer.
//
// A program may write while we read. It writes the word that makes an event valid last, but a read
// may copy bytes in any order, and so see the word without the event. A live file is therefore read
// twice: an event whose word is in the first reading, called seen, is whole in the second.
type Window struct {
	f       *File
	size    int    // how much is read at a time, at most
	next    int    // how much is read next: a small file needs no large buffer
	live    bool   // the file is still being written
	data    []byte // the bytes from offset on
	seen    []byte // the same, read before
	spare   []byte // the other buffer
	offset  int64
	current bool // the buffer was read after the last Renew
}

// Window returns a window that reads so many bytes at a time.
func (f *File) Window(size int) *Window { return &Window{f: f, size: size} }

// Renew makes the next Read read the file again. live says that a program still writes it.
func (w *Window) Renew(live bool) { w.live, w.current = live, false }

// Read returns n bytes of the file, fewer at its end, and an earlier reading of them: what a word
// makes valid may be incomplete in data if the word is zero in seen. Both have the same length, and
// are valid until the next call of a method.
func (w *Window) Read(offset int64, n int) (data, seen []byte, err error) {
	if !w.current || offset < w.offset || offset+int64(n) > w.offset+int64(len(w.data)) {
		const first, faster = 4 << 10, 4
		w.next = min(max(w.next*faster, first), w.size)
		if err := w.Fill(offset, max(n, w.next)); err != nil {
			return nil, nil, err
		}
	}
	from := min(int(offset-w.offset), len(w.data))
	to := min(from+n, len(w.data))
	return w.data[from:to], w.seen[from:to], nil
}

// Fill reads n bytes at once, for the calls of Read that follow.
func (w *Window) Fill(offset int64, n int) (err error) {
	w.offset, w.current = offset, false
	if w.data, err = w.fill(w.data, n); err != nil {
		return err
	}
	w.seen = w.data
	if w.live {
		if w.spare, err = w.fill(w.spare, n); err != nil {
			return err
		}
		w.data, w.spare = w.spare, w.data
		n := min(len(w.data), len(w.seen))
		w.data, w.seen = w.data[:n], w.seen[:n]
	}
	w.current = true
	return nil
}

// fill reads n bytes at the window's place into a buffer.
func (w *Window) fill(b []byte, n int) ([]byte, error) {
	if cap(b) < n {
		b = make([]byte, n)
	}
	got, err := w.f.read(b[:n], w.offset)
	return b[:got], err
}

// Cursor reads numbers from bytes. Reading past their end returns zero and sets Bad.
type Cursor struct {
	B   []byte
	At  int // index of the next byte
	Bad bool
}

// Take returns the next n bytes, which are part of B; nil if there are fewer.
func (c *Cursor) Take(n int) []byte {
	if n < 0 || n > len(c.B)-c.At || c.Bad {
		c.Bad = true
		return nil
	}
	c.At += n
	return c.B[c.At-n : c.At]
}

// room reports whether n more bytes are left, and sets Bad if not.
func (c *Cursor) room(n int) bool {
	if n < 0 || n > len(c.B)-c.At {
		c.Bad = true
	}
	return !c.Bad
}

func (c *Cursor) U8() byte {
	if c.At >= len(c.B) || c.Bad {
		c.Bad = true
		return 0
	}
	c.At++
	return c.B[c.At-1]
}

func (c *Cursor) U16() uint16 {
	if b := c.Take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *Cursor) U32() uint32 {
	if b := c.Take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *Cursor) U64() uint64 {
	if b := c.Take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Address reads an address of AddressSize bytes.
func (c *Cursor) Address() uint64 {
	b := c.Take(AddressSize)
	if b == nil {
		return 0
	}
	return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint16(b[4:]))<<32
}

// Align moves up to a multiple of n, a power of two.
func (c *Cursor) Align(n int) { c.At = (c.At + n - 1) &^ (n - 1) }
