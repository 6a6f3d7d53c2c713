package formattest

import (
	"time"

	"tracex/format"
)

// Anchor is the wall clock at which all generated times begin to count.
var Anchor = time.Date(2026, 5, 4, 3, 2, 1, 987654321, time.UTC)

// clock is the one that all threads of a writer share: each header and each
// footer takes some time, mostly little. It does not depend on the seed, and
// nothing but times depends on it.
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

// span is the time from the first to the last of some moments.
type span struct {
	from, to int64
	known    bool
}

func (s *span) add(now int64) {
	if !s.known {
		s.from, s.known = now, true
	}
	s.to = now
}

// time returns the cell of a span: one that says so when there was no moment.
func (s span) time(id int32) format.TimeCell {
	if !s.known {
		return format.TimeCell{ID: id, Duration: format.NoDuration}
	}
	return format.TimeCell{ID: id, Start: s.from, Duration: s.to - s.from}
}

// tick moves the clock for a header or a footer of t and returns the time.
func (t *Thread) tick() int64 {
	now := t.w.clock.tick()
	t.block.add(now)
	return now
}

// cell adds a cell of the block that is not written yet.
func (t *Thread) cell(c format.Cell, time format.TimeCell) {
	t.cells = append(t.cells, c)
	if t.w.opt.Times != nil {
		t.times = append(t.times, time)
	}
}

// flushTimes writes the times of the cells of a block, in the order of the
// index.
func (w *Writer) flushTimes(t *Thread) {
	if w.opt.Times == nil {
		return
	}
	block := t.block.time(t.id)
	var out []byte
	if !w.opt.Dump {
		out = block.Append(out)
	}
	for _, c := range t.times {
		out = c.Append(out)
	}
	if w.opt.Dump {
		out = block.Append(out)
	}
	w.writeTimes(out)
	t.times, t.block = t.times[:0], span{}
}
