package perfetto

import (
	"context"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
)

// Result describes what a conversion wrote, and what it left out.
type Result struct {
	Packets int64
	Threads []Thread
	Events  int64         // calls and values of counters
	Start   time.Time     // of the first event; if the trace has no wall clock, the trace's clock counted from 1970
	Took    time.Duration // from the first event to the last
	LeftOut []LeftOut
	Version format.Version // of the format, in which the trace was written
	// Changes count what was guessed or lost in calls that were recorded in another
	// version.
	Changes map[format.Change]int64
}

// Write writes the trace. No packets can be added afterwards.
func (c *Converter) Write(ctx context.Context, to tracefile.Files) (*Result, error) {
	if err := c.dictionary.Err; err != nil {
		return nil, err
	}
	timelines, err := c.settle(ctx)
	if err != nil {
		return nil, err
	}
	first := c.sink.first
	b := beginBlocks(c.version(len(timelines)), to, first, c.clocks.wallTime(first))
	r, err := c.writeTimelines(ctx, b, timelines)
	if err != nil {
		return nil, err
	}
	return r, b.finish(c.sink.last)
}

// settle returns the timelines in the order of their threads, when all packets have been
// read.
func (c *Converter) settle(ctx context.Context) ([]*timeline, error) {
	k := c.sink
	if err := k.settleEarly(ctx, c.tracks.timelines); err != nil {
		return nil, err
	}
	if k.first > k.last {
		k.first, k.last = 0, 0 // there was no event
	}
	return c.tracks.arrange(c.recorded.list), nil
}

// writeTimelines writes the timelines and the recorders.
func (c *Converter) writeTimelines(ctx context.Context, b *blocks, timelines []*timeline) (*Result, error) {
	k := c.sink
	w := &writer{Converter: c, blocks: b, last: k.last}
	b.Size = c.options.BlockSize
	if c.options.Progress != nil {
		b.Progress = func(size int64) { c.options.Progress(Writing, size) }
	}
	for _, l := range timelines {
		if err := w.write(ctx, l); err != nil {
			return nil, err
		}
	}
	if err := w.calls(ctx); err != nil {
		return nil, err
	}
	c.left.Count(tooManyArguments, c.events.arguments.left, -1)
	c.left.Count(longTexts, c.dictionary.Cut, -1)
	c.left.Count(forgottenStates, c.sequences.forgotten, -1)
	return &Result{
		Packets: c.packets, Threads: w.threads, Events: w.blocks.events, LeftOut: c.left.List(),
		Start: c.clocks.wallTime(k.first), Took: time.Duration(k.last - k.first), Version: w.blocks.To.Version(), Changes: w.changes,
	}, nil
}

// describe adds all descriptors to a thread.
func (w *writer) describe(ctx context.Context, t *thread) error {
	return w.spool.Each(ctx, func(_ int64, object []byte) error {
		t.Reference(object, w.blocks.To.Version())
		return w.blocks.Wrote(&t.Block)
	}, w.references)
}

// write writes the threads of a timeline.
func (w *writer) write(ctx context.Context, l *timeline) error {
	w.timeline = l
	w.lanes = &lanes{w: w, name: l.shown, joined: l.joined, of: make(map[uint64]*thread)}
	if len(w.threads) == 0 {
		// Before any other record: a spool reads one set of streams at a time.
		if err := w.describe(ctx, w.lanes.add()); err != nil {
			return err
		}
	}
	if err := w.spool.Each(ctx, w.add, l.streams()...); err != nil {
		return err
	}
	for _, t := range w.lanes.threads {
		w.end(t, w.last-w.blocks.To.Origin)
	}
	return w.blocks.To.Err()
}

// add writes one record.
func (w *writer) add(time int64, body []byte) error {
	time -= w.blocks.To.Origin
	r := &w.record
	r.parse(body)
	t := w.lanes.find(r)
	if t == nil {
		if r.kind.ends() {
			w.left.Count(noBegin, 1, -1)
		} else {
			w.left.Count(tooManyLanes, 1, -1)
		}
		return nil
	}
	var err error
	switch r.kind {
	case recordBegin:
		err = w.begin(t, time, -1, r)
	case recordInstant:
		err = w.begin(t, time, 0, r)
	case recordComplete:
		err = w.begin(t, time, int64(r.duration), r)
	case recordNext:
		err = w.next(t, time, r)
	case recordEnd, recordThrew:
		w.finish(t, time, r)
	case recordLong, recordDouble:
		err = w.value(t, time, r)
	}
	_ = w.blocks.Wrote(&t.Block) // see failed
	return err
}

// version returns the version in which to write the trace, after all packets were
// read. timelines is the number of timelines of slices, which are encoded already.
func (c *Converter) version(timelines int) format.Version {
	all := c.recorded.list
	if c.options.FormatVersion != 0 || timelines > 0 || len(all) == 0 {
		return c.dictionary.Version
	}
	for _, r := range all {
		if r.version != all[0].version {
			return c.dictionary.Version
		}
	}
	return all[0].version
}
