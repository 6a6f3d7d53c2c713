package perfetto

import (
	"context"
	"errors"
	"io"
	"time"

	"tracex/format"
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
	c := newContinuing(l.options.Options, l.trace.begun(l.packets))
	defer c.Close()
	c.begun.before = l.options.Before
	nameProcesses(&c.tracks.names, l.Programs)
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
	r := &Result{Events: b.events, Version: b.version}
	if c.more(timelines) {
		b.early = false
		if r, err = c.writeTimelines(ctx, b, timelines); err != nil {
			return nil, err
		}
	} else if err := c.finish(ctx, b, c.begun.next()); err != nil {
		return nil, err
	}
	first, last := c.sink.first, c.sink.last
	r.Packets = l.packets.packets + c.packets
	r.Threads = append(l.trace.calls.w.threads, r.Threads...)
	r.Start, r.Took = l.packets.clocks.wallTime(first), time.Duration(last-first)
	l.packets.left.add(c.left)
	r.LeftOut = l.packets.left.list()
	return r, nil
}
