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
