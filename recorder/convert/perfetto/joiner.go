package perfetto

import (
	"context"
	"errors"
	"io"

	"tracex/format"
)

// Joiner adds packets to a trace that another conversion writes, while both grow. The two take
// turns: a [Begun] says how far the trace is, first to the Joiner, then to the other conversion.
//
//	Advance → calls of recorders, in the version of the trace → their threads
//	Join    → the rest of these, and then all other packets   → further threads, the end
//
// The packets stay where they are: if the trace is lost, it can be made again.
type Joiner struct {
	options   Options
	in        io.ReaderAt
	c         *Converter // has clocks, recorders, names, and what is left out
	buffer    []byte     // for reading
	named, at int64      // offsets: names are read up to the first, calls up to the second
	naming    bool       // names are being read
	unread    *tally     // what is counted again when calls are read, or by Join
	recorders map[uint64]*joinedRecorder
	current   *joinedRecorder // whose packet is being read
	trace     joinedTrace
}

// NewJoiner returns a Joiner that has read nothing yet. packets are in the form of a trace file. The
// caller must close it.
func NewJoiner(o Options, packets io.ReaderAt) *Joiner {
	j := &Joiner{options: o, in: packets, c: New(o), unread: new(tally), recorders: map[uint64]*joinedRecorder{}}
	j.c.clocks.fix(clockMonotonic)
	j.c.recorded.keep = j
	j.trace = joinedTrace{c: j.c, room: sharedReferences, names: recorderNames{map[string]int{}}}
	return j
}

// Close releases what the conversion holds.
func (j *Joiner) Close() { j.c.Close() }

// Advance adds the calls in the packets before an offset, and updates b. known is the offset up to which
// there are packets. It must follow the names of these calls, which is certain if all programs were
// flushed after the calls.
func (j *Joiner) Advance(ctx context.Context, b *Begun, calls, known int64) error {
	j.trace.begin(b)
	j.count(j.unread)
	j.naming = true
	err := j.each(ctx, &j.named, known, j.name)
	j.count(j.c.left)
	j.naming = false
	if err == nil {
		err = j.each(ctx, &j.at, min(calls, j.named), j.read)
	}
	j.trace.end(b)
	return errors.Join(err, b.To.Stop())
}

// Join adds the rest of the packets and ends the trace. All packets together have size bytes. The result
// includes what Advance added. damage is a [*format.Error] with the offset at which the packets are
// damaged; those before it are added. If Join fails, the trace has no end, and the caller may end it: it
// has the calls that Advance added, and after [ErrClocks] nothing else.
func (j *Joiner) Join(ctx context.Context, b *Begun, size int64) (r *Result, damage, err error) {
	if err := errors.Join(j.Advance(ctx, b, size, size), j.trace.finish(b)); err != nil {
		return nil, nil, err
	}
	b.shown(j.trace.names.met)
	rest := newJoining(j.options, b, j.trace.names.met)
	defer rest.Close()
	rest.recorded.written = j.written()
	rest.left.add(j.c.left)
	rest.left.count(longTexts, j.c.dictionary.cut, -1)
	damage = rest.Read(ctx, io.NewSectionReader(j.in, 0, size))
	var fault *format.Error
	switch {
	case damage != nil && !errors.As(damage, &fault):
		return nil, nil, damage
	case errors.Is(damage, format.ErrNotTrace) && size == 0:
		damage = nil
	}
	if r, err = rest.join(ctx); err != nil {
		return nil, damage, err
	}
	r.Threads, r.Events = append(j.trace.ended, r.Threads...), r.Events+j.trace.events
	return r, damage, nil
}

// count makes t the tally of what is left out.
func (j *Joiner) count(t *tally) { j.c.clocks.left, j.c.recorded.left = t, t }

// each calls take with the packets between two offsets, stops at damage, and advances the first offset.
func (j *Joiner) each(ctx context.Context, at *int64, to int64, take func(p *packet) error) error {
	if *at >= to {
		return nil
	}
	f := framer{buf: j.buffer, r: io.NewSectionReader(j.in, *at, to-*at), tooLarge: func(int64) {}, read: func(int64) error { return ctx.Err() }}
	defer func() { j.buffer = f.buf[:0] }()
	for {
		b, offset, err := f.next()
		var fault *format.Error
		switch {
		case err == io.EOF:
			*at = to
			return nil
		case errors.As(err, &fault): // Join reports it
			*at += offset
			return nil
		case err != nil:
			return err
		}
		p := &j.c.room
		*p = packet{offset: *at + offset}
		if p.parse(b) {
			err = take(p)
		}
		if err != nil {
			return err
		}
	}
}

// name takes a snapshot of clocks, or the names that a recorder gives.
func (j *Joiner) name(p *packet) error {
	if p.kind == packetClockSnapshot {
		j.c.clocks.snapshot(p)
		return nil
	}
	return j.read(p)
}
