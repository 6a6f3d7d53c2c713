package places

import (
	"math"
	"sort"
)

// offsets is a list of logical offsets, 4 bytes each where those next to each other differ by less than
// 2 GiB.
type offsets struct {
	n      int
	chunks []offsetChunk // all but the last are full
}

// offsetChunk is a run of offsets. It is near until an offset does not fit.
type offsetChunk struct {
	base int64
	near []uint32 // from base
	far  []int64  // in place of near
}

const chunkOffsets = 1 << 10

// add appends offsets.
func (l *offsets) add(at ...int64) {
	for _, at := range at {
		if l.n%chunkOffsets == 0 {
			c := offsetChunk{base: at - min(at, math.MaxInt32)}
			if l.n > 0 {
				c.near = make([]uint32, 0, chunkOffsets)
			}
			l.chunks = append(l.chunks, c)
		}
		l.chunks[len(l.chunks)-1].add(at)
		l.n++
	}
}

func (c *offsetChunk) add(at int64) {
	if c.far == nil {
		if d := at - c.base; d >= 0 && d <= math.MaxUint32 {
			c.near = append(c.near, uint32(d))
			return
		}
		c.far = make([]int64, len(c.near), chunkOffsets)
		for i, d := range c.near {
			c.far[i] = c.base + int64(d)
		}
		c.near = nil
	}
	c.far = append(c.far, at)
}

// at returns the i-th offset.
func (l *offsets) at(i int) int64 {
	c := &l.chunks[i/chunkOffsets]
	if c.far != nil {
		return c.far[i%chunkOffsets]
	}
	return c.base + int64(c.near[i%chunkOffsets])
}

// below returns the first of the offsets from i to before end that is x or more; end if there is none.
// These must rise.
func (l *offsets) below(i, end int, x int64) int {
	return i + sort.Search(end-i, func(k int) bool { return l.at(i+k) >= x })
}
