package perfetto

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"tracex/format"
	"tracex/format/pbfield"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
	"tracex/recorder/internal/perfetto/calls"
)

// Joiner adds packets to a trace that another conversion writes, while both grow. The two take
// turns. The origin of the trace must be a reading of the machine's monotonic clock.
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
	unread    *fit.Tally // what is counted again when calls are read, or by Join
	recorders map[uint64]*joinedRecorder
	current   *joinedRecorder // whose packet is being read

	// What was added.
	blocks   *blocks
	live     []*liveTrace
	room     int // see callsIDs
	threads  int // of all recorders
	finished []Thread
}

// NewJoiner returns a Joiner that has read nothing yet. packets are in the form of a trace file. The
// caller must close it.
func NewJoiner(o Options, packets io.ReaderAt, to *tracefile.Writer) *Joiner {
	j := &Joiner{
		options: o, in: packets, c: New(o), unread: new(fit.Tally), recorders: map[uint64]*joinedRecorder{},
		blocks: newBlocks(to), room: sharedReferences,
	}
	j.c.clocks.fix(clockMonotonic)
	j.c.recorded.keep = j
	j.c.sink.floor = to.Origin
	j.c.sink.cover(to.Origin, to.Origin)
	return j
}

// Close releases what the conversion holds.
func (j *Joiner) Close() { j.c.Close() }

// Advance adds the calls in the packets before an offset. known is the offset up to which
// there are packets. It must follow the names of these calls, which is certain if all programs were
// flushed after the calls.
func (j *Joiner) Advance(ctx context.Context, calls, known int64) error {
	j.count(j.unread)
	j.naming = true
	err := j.each(ctx, &j.named, known, j.name)
	j.count(j.c.left)
	j.naming = false
	if err == nil {
		err = j.each(ctx, &j.at, min(calls, j.named), j.read)
	}
	j.flush()
	return errors.Join(err, j.blocks.To.Stop())
}

// Join adds the rest of the packets and ends the trace. All packets together have size bytes. The result
// includes what Advance added. damage is a [*format.Error] with the offset at which the packets are
// damaged; those before it are added. If Join fails, the trace has no end, and the caller may end it: it
// has the calls that Advance added, and after [ErrClocks] nothing else.
func (j *Joiner) Join(ctx context.Context, size int64) (r *Result, damage, err error) {
	if err := errors.Join(j.Advance(ctx, size, size), j.finish()); err != nil {
		return nil, nil, err
	}
	to := j.blocks.To
	j.c.names.meet(to.Programs)
	rest := newContinuing(j.options, newBlocks(to))
	defer rest.Close()
	rest.sink.cover(to.Origin, to.Origin+to.Last)
	rest.clocks.fix(clockMonotonic)
	rest.nameProcesses(to.Programs)
	rest.names, rest.recorded.written = j.c.names, j.written()
	rest.left.Add(j.c.left)
	rest.left.Count(longTexts, j.c.dictionary.Cut, -1)
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
	r.Threads, r.Events = append(j.finished, r.Threads...), r.Events+j.blocks.events
	return r, damage, nil
}

// ErrClocks is returned by [Joiner.Join] if the times of packets cannot be converted to those
// of the trace.
var ErrClocks = errors.New("the clock of the packets cannot be related to that of the trace")

// join adds the packets of a Converter to its trace, and ends that. The result's Events and
// Threads are those that were added. If it fails, the trace has no end.
func (c *Converter) join(ctx context.Context) (*Result, error) {
	b := c.begun
	timelines, err := c.settle(ctx)
	if err != nil {
		return nil, err
	}
	if !c.more(timelines) {
		if err := b.To.End(0); err != nil {
			return nil, err
		}
		return &Result{Packets: c.packets, LeftOut: c.left.List(), Version: b.To.Version()}, nil
	}
	if err := c.clocks.fits(b.To); err != nil {
		return nil, err
	}
	r, err := c.writeTimelines(ctx, b, timelines)
	if err == nil {
		err = b.finish(c.sink.last)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// fits returns why times of packets cannot be converted to those of a trace.
func (c *clocks) fits(to *tracefile.Writer) error {
	if !c.related() {
		return fmt.Errorf("%w: no snapshot in them has both", ErrClocks)
	}
	if c.wall.known {
		apart := float64(c.wall.ns-c.wall.at) - float64(to.Anchor().UnixNano()-to.Origin)
		if math.Abs(apart) > float64(time.Hour) {
			return fmt.Errorf("%w: they differ by more than an hour, as those of different machines do, or after a restart", ErrClocks)
		}
	}
	return nil
}

// count makes t the tally of what is left out.
func (j *Joiner) count(t *fit.Tally) { j.c.clocks.left, j.c.recorded.left = t, t }

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
	if p.kind == pbfield.TracePacket_ClockSnapshot {
		j.c.clocks.snapshot(p)
		return nil
	}
	return j.read(p)
}

// joinedRecorder is a recorder that a [Joiner] has met.
type joinedRecorder struct {
	live      *liveTrace // nil until there are calls
	unwritten []byte     // references
	later     bool       // Join adds it with the other packets
}

// read reads a packet of a recorder.
func (j *Joiner) read(p *packet) error {
	if p.kind != pbfield.TracePacket_TracexCalls {
		return nil
	}
	part, err := calls.Decode(p.data)
	if err != nil {
		return nil // Join counts it
	}
	r := j.recorders[part.Recorder]
	if r != nil && r.later {
		return nil
	}
	if p.hasTime && !j.naming {
		p.ns, p.timed = j.c.clocks.packetTime(p, nil)
	}
	if !j.options.Process.has(p) {
		return nil
	}
	if r == nil {
		if len(j.recorders) >= knownRecorders {
			return nil
		}
		r = &joinedRecorder{later: !j.fits(p, &part)}
		j.recorders[part.Recorder] = r
		if r.later {
			return nil
		}
	}
	j.current = r
	return j.c.recorded.take(p, &part)
}

// fits reports whether the calls of a recorder can be added as they come.
func (j *Joiner) fits(p *packet, part *calls.Part) bool {
	version, known := versionOf(part)
	b := j.blocks
	return known && version == b.To.Version() && p.machine == 0 && (p.clock == 0 || p.clock == clockBoottime) && j.c.clocks.fits(b.To) == nil
}

// reference and part make Joiner a partKeeper: names are kept when they are read, and parts are written.
func (j *Joiner) reference(_ *callsRecorder, object []byte) error {
	r := j.current
	if !j.naming || r.later {
		return nil
	}
	r.unwritten = append(r.unwritten, object...)
	switch {
	case len(r.unwritten) < mostKnown:
	case r.live == nil:
		r.later, r.unwritten = true, nil
	default:
		return r.live.spare()
	}
	return nil
}

// part writes a part. kept is false if there are too many threads.
func (j *Joiner) part(of *callsRecorder, thread int32, p partRecord) (kept bool, err error) {
	r := j.current
	if r.live == nil {
		r.live = j.begin(r, of)
		j.live = append(j.live, r.live)
	}
	if r.live.threads[thread] == nil {
		if j.threads >= knownTracks {
			return false, nil
		}
		j.threads++
	}
	named := len(r.unwritten) > 0
	if err := r.live.part(&waitingPart{recorder: of, thread: thread, partRecord: p}); err != nil {
		return true, err
	}
	if k := r.live.threads[thread]; named && k.t != nil {
		// Other threads need these names, and their blocks may be full earlier.
		k.traced = true
		_ = j.blocks.Flush(k.t)
	}
	if j.blocks.Held() > calltrace.BlockBudget/2 {
		j.flush()
	}
	return true, nil
}

// begin begins the trace of a recorder.
func (j *Joiner) begin(r *joinedRecorder, of *callsRecorder) *liveTrace {
	to := j.blocks.To
	j.c.nameProcesses(to.Programs)
	j.c.names.meet(to.Programs)
	of.name = j.c.names.next(of, j.c.tracks)
	l := liveTraceOf(j.c, of, 0, j.blocks)
	l.unwritten = &r.unwritten
	l.calls.ids = callsIDs{from: of.version, to: of.version, shared: to, met: make(map[reference]int32), room: &j.room}
	return l
}

// flush writes what each thread has.
func (j *Joiner) flush() {
	for _, l := range j.live {
		l.flushBlocks()
		l.rest()
	}
	j.blocks.cover(j.c.sink.last)
}

// finish ends the threads.
func (j *Joiner) finish() error {
	to := j.blocks.To
	for _, l := range j.live {
		if err := l.finish(to.Origin + to.Last); err != nil {
			return err
		}
		j.finished = append(j.finished, l.calls.w.threads...)
	}
	j.flush()
	return nil
}

// written returns the recorders whose calls Join must not add again.
func (j *Joiner) written() map[uint64]bool {
	all := make(map[uint64]bool)
	for id, r := range j.recorders {
		if !r.later {
			all[id] = true
		}
	}
	return all
}
