package perfetto

import (
	"math"
	"slices"

	"tracex/format"
)

// before is the part of a trace that is written already when a conversion begins: the
// calls of one recorder, see [Live]. The conversion adds to it.
type before struct {
	blocks      *blocks
	recorder    *callsRecorder
	ids         [format.KindCodeLocation + 1]int64 // by kind: one more than the largest in use
	thread      int32                              // the next thread's id
	event       int64                              // the next event's number
	first, last int64                              // ns: times of its events
}

// newAfter returns a Converter that adds to a trace. The caller must close it.
func newAfter(o Options, b *before) *Converter {
	o.FormatVersion = b.blocks.version
	c := New(o)
	c.before = b
	for kind, n := range b.ids {
		c.dictionary.counts[kind] = int32(min(n, math.MaxInt32))
	}
	c.sink.floor = b.blocks.origin
	c.sink.cover(b.first, b.last)
	return c
}

// more reports whether something is to be added; lines are those of the packets.
func (c *Converter) more(lines []*line) bool {
	return len(lines) > 0 || slices.ContainsFunc(c.recorded.list, func(r *callsRecorder) bool { return len(r.threads) > 0 })
}
