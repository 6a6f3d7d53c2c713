package perfetto

import (
	"context"

	"tracex/format"
	"tracex/format/tracefile"
)

// Ending is a trace that has all packets but no end yet. Another conversion may add to it.
type Ending struct {
	To *tracefile.Writer
	// Last is the latest time, in ns since the zero of the trace's times. Before may change it.
	Last int64
	// IDs are, by kind of reference object, one more than the largest id in use.
	IDs [format.KindCodeLocation + 1]int64
	// Thread and Event are the ids of the next thread and event.
	Thread, Event int64
	// Time converts a reading of the machine's monotonic clock to ns since the zero of the trace's times.
	// known is false if no snapshot has both clocks.
	Time func(monotonic int64) (ns int64, known bool)
}

// next returns the ids that follow those in use.
func (b *begunTrace) next() (d callsIDs) {
	d.kinds, d.thread, d.event = b.ids, int64(b.thread), b.event
	return d
}

// finish ends the trace. next are the ids of what may be added.
func (c *Converter) finish(ctx context.Context, b *blocks, next callsIDs) error {
	if c.begun != nil && c.begun.before != nil {
		e := &Ending{To: b.to, Last: c.sink.last - b.origin, IDs: next.kinds, Thread: next.thread, Event: next.event}
		var via conversion
		e.Time = func(monotonic int64) (ns int64, known bool) {
			ns, known = c.clocks.convert(&via, clockOf(0, clockMonotonic), monotonic)
			return ns - b.origin, known
		}
		if err := c.begun.before(ctx, e); err != nil {
			return err
		}
		c.sink.last = max(c.sink.last, e.Last+b.origin)
	}
	return b.finish(c.sink.last)
}
