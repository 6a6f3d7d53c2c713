// Package compact keeps what there may be millions of in little memory: numbers, and rows in an order.
package compact

import (
	"encoding/binary"
	"math"
	"slices"
)

// Unknown is what [Numbers] returns for a number that is not known.
const Unknown = math.MaxInt64

// Numbers is a list of numbers, 1, 2 or 4 bytes each where most of those near each other are alike, and 8
// elsewhere. They are appended as unknown and may be set later.
type Numbers struct {
	n      int
	chunks []numberChunk
}

// numberChunk is a run of numbers. Its numbers are as wide as most of them need; the others are apart.
type numberChunk struct {
	base  int64
	known bool   // base is: a number was set
	width int    // Bytes of each: 1, 2, 4 or 8
	near  []byte // distances from base; 8 bytes wide the numbers themselves
	far   []farNumber
}

// farNumber is a number that a chunk is too narrow for.
type farNumber struct {
	at uint16 // in the chunk
	v  int64
}

const chunkNumbers = 1 << 12

// The two largest distances of a width are marks: of an unknown number, and of one that is apart.
func unknownMark(width int) uint64 { return math.MaxUint64 >> (64 - 8*width) }
func farMark(width int) uint64     { return unknownMark(width) - 1 }

// Grow appends n unknown numbers.
func (l *Numbers) Grow(n int) {
	for l.n += n; len(l.chunks)*chunkNumbers < l.n; {
		c := numberChunk{width: 1}
		c.near = make([]byte, chunkNumbers)
		for i := range c.near {
			c.near[i] = byte(unknownMark(1))
		}
		l.chunks = append(l.chunks, c)
	}
}

// Bytes returns how much memory the numbers take.
func (l *Numbers) Bytes() (n int) {
	for i := range l.chunks {
		n += cap(l.chunks[i].near) + 16*cap(l.chunks[i].far)
	}
	return n
}

// Set sets the number at i.
func (l *Numbers) Set(i int, v int64) {
	c := &l.chunks[i/chunkNumbers]
	if !c.known {
		if c.known = true; v < math.MinInt32 || v > math.MaxInt32 {
			c.base = v
		}
	}
	c.set(i%chunkNumbers, v)
}

// At returns the number at i, or Unknown.
func (l *Numbers) At(i int) int64 { return l.chunks[i/chunkNumbers].at(i % chunkNumbers) }

func (c *numberChunk) at(i int) int64 {
	d := c.get(i)
	switch {
	case c.width == 8:
		return int64(d)
	case d < farMark(c.width):
		return c.base + (int64(d>>1) ^ -int64(d&1))
	case d == unknownMark(c.width):
		return Unknown
	}
	k, _ := c.findFar(i)
	return c.far[k].v
}

func (c *numberChunk) set(i int, v int64) {
	if c.width == 8 {
		c.put(i, uint64(v))
		return
	}
	k, apart := 0, c.get(i) == farMark(c.width)
	if apart {
		k, _ = c.findFar(i)
	}
	if d, ok := c.distance(v); ok {
		if c.put(i, d); apart {
			c.far = slices.Delete(c.far, k, k+1)
		}
		return
	}
	if apart {
		c.far[k].v = v
		return
	}
	k, _ = c.findFar(i)
	c.far = slices.Insert(c.far, k, farNumber{at: uint16(i), v: v})
	if c.put(i, farMark(c.width)); 16*len(c.far) > chunkNumbers*c.width {
		c.widen()
	}
}

// distance returns how far a number is from the base, 0, -1, 1, -2 … as 0, 1, 2, 3 …; ok is false if the
// chunk is too narrow for that.
func (c *numberChunk) distance(v int64) (d uint64, ok bool) {
	x := v - c.base
	if (x < v) != (c.base > 0) {
		return 0, false // too large for an int64
	}
	d = uint64(x)<<1 ^ uint64(x>>63)
	return d, d < farMark(c.width)
}

// widen doubles the width.
func (c *numberChunk) widen() {
	old := *c
	c.width, c.far = 2*old.width, nil
	c.near = make([]byte, chunkNumbers*c.width)
	for i := range chunkNumbers {
		switch v := old.at(i); {
		case v == Unknown && c.width == 8:
			c.put(i, Unknown)
		case v == Unknown:
			c.put(i, unknownMark(c.width))
		default:
			c.put(i, 0)
			c.set(i, v)
		}
	}
}

// findFar returns where the number at i is, or belongs, among those that are apart.
func (c *numberChunk) findFar(i int) (k int, ok bool) {
	return slices.BinarySearchFunc(c.far, i, func(f farNumber, i int) int { return int(f.at) - i })
}

func (c *numberChunk) get(i int) uint64 {
	switch c.width {
	case 1:
		return uint64(c.near[i])
	case 2:
		return uint64(binary.NativeEndian.Uint16(c.near[2*i:]))
	case 4:
		return uint64(binary.NativeEndian.Uint32(c.near[4*i:]))
	}
	return binary.NativeEndian.Uint64(c.near[8*i:])
}

func (c *numberChunk) put(i int, d uint64) {
	switch c.width {
	case 1:
		c.near[i] = byte(d)
	case 2:
		binary.NativeEndian.PutUint16(c.near[2*i:], uint16(d))
	case 4:
		binary.NativeEndian.PutUint32(c.near[4*i:], uint32(d))
	default:
		binary.NativeEndian.PutUint64(c.near[8*i:], d)
	}
}
