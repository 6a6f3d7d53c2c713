package query

import "math"

// unknownNumber is what numbers returns for one that is not known.
const unknownNumber = math.MaxInt64

// numbers is a list of numbers, 4 bytes each where those near each other are alike. They are
// appended as unknown and may be set later.
type numbers struct {
	n      int
	chunks []numberChunk
}

// numberChunk is a run of numbers. It is narrow until a number does not fit.
type numberChunk struct {
	base   int64
	known  bool // base is: a number was set
	narrow []uint32
	wide   []int64
}

const (
	chunkNumbers  = 1 << 12
	unknownNarrow = math.MaxUint32
)

// grow appends n unknown numbers.
func (l *numbers) grow(n int) {
	for l.n += n; len(l.chunks)*chunkNumbers < l.n; {
		c := numberChunk{narrow: make([]uint32, chunkNumbers)}
		for i := range c.narrow {
			c.narrow[i] = unknownNarrow
		}
		l.chunks = append(l.chunks, c)
	}
}

// set sets the number at i.
func (l *numbers) set(i int, v int64) {
	c := &l.chunks[i/chunkNumbers]
	i %= chunkNumbers
	if !c.known {
		c.known = true
		if v < 0 || v > math.MaxUint32/2 {
			c.base = v - min(math.MaxUint32/2, v-math.MinInt64)
		}
	}
	if c.wide == nil {
		if d := uint64(v) - uint64(c.base); v >= c.base && d < unknownNarrow {
			c.narrow[i] = uint32(d)
			return
		}
		c.widen()
	}
	c.wide[i] = v
}

// widen makes room for any number.
func (c *numberChunk) widen() {
	c.wide = make([]int64, chunkNumbers)
	for i, d := range c.narrow {
		c.wide[i] = unknownNumber
		if d != unknownNarrow {
			c.wide[i] = c.base + int64(d)
		}
	}
	c.narrow = nil
}

// at returns the number at i, or unknownNumber.
func (l *numbers) at(i int) int64 {
	c := &l.chunks[i/chunkNumbers]
	i %= chunkNumbers
	if c.wide != nil {
		return c.wide[i]
	}
	if d := c.narrow[i]; d != unknownNarrow {
		return c.base + int64(d)
	}
	return unknownNumber
}
