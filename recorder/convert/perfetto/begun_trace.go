package perfetto

import (
	"context"
	"math"
	"slices"

	"tracex/format"
)

// begunTrace is the part of a trace that has been written when a conversion begins: the
// calls of one recorder, see [Live], or what another conversion wrote, see [Begun]. The
// conversion adds to it.
type begunTrace struct {
	blocks      *blocks
	recorder    *callsRecorder                       // nil if another conversion wrote the trace
	met         map[string]int                       // names of processes that its threads have
	ids         [format.KindCodeLocation + 1]int64   // by kind: one more than the largest in use
	thread      int32                                // the next thread's id
	event       int64                                // the next event's number
	first, last int64                                // ns: times of its events
	before      func(context.Context, *Ending) error // called before its end; nil for nothing
}

// newContinuing returns a Converter that adds to a trace. The caller must close it.
func newContinuing(o Options, b *begunTrace) *Converter {
	o.FormatVersion = b.blocks.version
	c := New(o)
	c.begun = b
	for kind, n := range b.ids {
		c.dictionary.counts[kind] = int32(min(n, math.MaxInt32))
	}
	c.sink.floor = b.blocks.origin
	c.sink.cover(b.first, b.last)
	return c
}

// more reports whether something is to be added; timelines are those of the packets.
func (c *Converter) more(timelines []*timeline) bool {
	return len(timelines) > 0 || slices.ContainsFunc(c.recorded.list, func(r *callsRecorder) bool { return len(r.threads) > 0 })
}
