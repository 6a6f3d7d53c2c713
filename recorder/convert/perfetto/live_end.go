package perfetto

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
)

// ErrNoCalls is returned by [Live.End] if no calls were written: all packets are in
// Rest, and nothing was created.
var ErrNoCalls = errors.New("no calls were converted while they were recorded")

// End writes all that is left, and ends the files, which the caller closes. rest returns
// the part of Rest to convert. If End returns both a result and a [*format.Error], Rest
// is damaged at the error's offset: everything before it is used.
func (l *Live) End(ctx context.Context, rest func() (io.Reader, error)) (*Result, error) {
	if err := l.release(); err != nil {
		return nil, err
	}
	if err := l.Advance(l.Taken()); err != nil {
		return nil, err
	}
	if l.failed != nil {
		return nil, l.failed
	}
	if l.trace == nil {
		return nil, ErrNoCalls
	}
	in, err := rest()
	if err != nil {
		return nil, err
	}
	l.trace.number()
	c := newContinuing(l.options.Options, l.trace.calls.w.blocks)
	defer c.Close()
	c.sink.cover(l.packets.sink.first, l.packets.sink.last)
	c.nameProcesses(l.Programs)
	damage := c.Read(ctx, in)
	var fault *format.Error
	switch {
	case damage == nil:
	case !errors.As(damage, &fault):
		return nil, damage
	case c.packets == 0 && errors.Is(damage, format.ErrNotTrace):
		damage = nil // it is empty
	}
	result, err := l.end(ctx, c)
	if err != nil {
		return nil, l.fail(err)
	}
	return result, damage
}

// sinceAnchor converts a reading of the machine's monotonic clock, see LiveOptions.Before.
func (c *Converter) sinceAnchor(monotonic int64) (ns int64, known bool) {
	ns, known = c.clocks.convert(new(conversion), clockOf(0, clockMonotonic), monotonic)
	return ns - c.begun.To.Origin, known
}

// end adds the packets of a conversion to the trace, and ends it.
func (l *Live) end(ctx context.Context, c *Converter) (*Result, error) {
	timelines, err := c.settle(ctx)
	if err != nil {
		return nil, err
	}
	b := l.trace.calls.w.blocks
	if err := l.trace.finish(c.sink.last); err != nil {
		return nil, err
	}
	r := &Result{Events: b.events, Version: b.To.Version()}
	if c.more(timelines) {
		c.names.next(l.trace.calls.r, c.tracks) // its threads are written, without it
		if r, err = c.writeTimelines(ctx, b, timelines); err != nil {
			return nil, err
		}
	}
	b.cover(c.sink.last)
	if l.options.Before != nil {
		if err := l.options.Before(ctx, b.To, c.sinceAnchor); err != nil {
			return nil, err
		}
	}
	if err := b.To.End(0); err != nil {
		return nil, err
	}
	first, last := c.sink.first, b.To.Origin+b.To.Last
	r.Packets = l.packets.packets + c.packets
	r.Threads = append(l.trace.calls.w.threads, r.Threads...)
	r.Start, r.Took = l.packets.clocks.wallTime(first), time.Duration(last-first)
	l.packets.left.Add(c.left)
	r.LeftOut = l.packets.left.List()
	return r, nil
}

// newContinuing returns a Converter that adds to a trace. The caller must close it.
func newContinuing(o Options, b *blocks) *Converter {
	o.FormatVersion = b.To.Version()
	c := New(o)
	c.begun, c.sink.floor, *c.dictionary.Counts = b, b.To.Origin, b.To.IDs
	return c
}

// more reports whether something is to be added; timelines are those of the packets.
func (c *Converter) more(timelines []*timeline) bool {
	return len(timelines) > 0 || slices.ContainsFunc(c.recorded.list, func(r *callsRecorder) bool { return len(r.threads) > 0 })
}

// nameProcesses names processes whose packets may lack that.
func (c *Converter) nameProcesses(all []*tracefile.Program) {
	for _, p := range all {
		if p.PID <= math.MaxInt32 {
			c.tracks.names.nameProcess(processOn(0, int32(p.PID)), p.Name)
		}
	}
}
