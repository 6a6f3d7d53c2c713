package formattest

import "time"

// Anchor is the wall clock from which all generated times count.
var Anchor = time.Date(2026, 5, 4, 3, 2, 1, 987654321, time.UTC)

// clock is shared by all threads of a writer. Each header and each footer takes some time,
// mostly little. The clock does not depend on the seed, and only times depend on the clock.
type clock struct {
	now  int64 // ns since Anchor
	seed uint64
}

func (c *clock) tick() int64 {
	c.seed = c.seed*6364136223846793005 + 1442695040888963407
	step := int64(c.seed >> 55) // to 511 ns
	if c.seed>>48&0x7f == 0 {
		step <<= 10
	}
	c.now += step
	return c.now
}

// tick moves the clock for a header or a footer of t and returns the time.
func (t *Thread) tick() int64 {
	now := t.w.clock.tick()
	t.block.Touch(now)
	return now
}
