package calltrace

import (
	"context"
	"math"
	"time"

	"tracex/recorder/convert/spool"
)

// Finish writes the rest and ends the trace. It does not close the files.
func (w *Writer) Finish(ctx context.Context) (*Summary, error) {
	if w.err == nil && w.finished {
		w.err = errFinished
	}
	if w.first > w.last {
		w.first, w.last = 0, 0 // there was no event
	}
	w.shift = 0 // what was added is in its place
	for w.err == nil && w.live.next != &w.live {
		_ = w.live.next.Close(w.last) // the error is in w.err
	}
	w.blocks.Progress = w.options.Progress
	if w.blocks.To == nil && w.err == nil {
		w.setOrigin(w.first)
	}
	for i, k := range w.tracks {
		if w.err != nil {
			break
		}
		if k.records != nil {
			w.err = w.writeTrack(ctx, k)
		}
		w.tracks[i] = nil
	}
	if w.err == nil {
		w.err = w.writeClosed(ctx)
	}
	w.finished = true
	if w.err != nil {
		return nil, w.err
	}
	if w.err = w.blocks.To.End(w.last - w.blocks.To.Origin); w.err != nil {
		return nil, w.err
	}
	w.left.Count(longText, w.dict.Cut, -1)
	return &Summary{
		Threads: int(w.blocks.To.Threads), Events: w.blocks.To.Events, LeftOut: w.left.List(), Took: time.Duration(w.last - w.first),
	}, nil
}

// writeTrack writes the threads of a track.
func (w *Writer) writeTrack(ctx context.Context, k *Track) error {
	l := &lanes{w: w, name: k.fullName()}
	from, stream := w.spool, k.records
	if k.begins && !k.complete && !k.nesting.tangled {
		n := &nested{lanes: l}
		if err := from.Each(ctx, n.add, stream); err != nil {
			return err
		}
		return l.end()
	}
	if k.begins {
		var err error
		if from, stream, err = w.pair(ctx, stream); err != nil {
			return err
		}
		defer from.Close()
	}
	l.slack = k.unit
	o := &overlapping{lanes: l}
	if err := from.Each(ctx, o.add, stream); err != nil {
		return err
	}
	return o.end()
}

// pair makes whole calls of a stream. They are in a spool of their own, which the caller must close
// when they are read: the other one cannot grow while it is read.
func (w *Writer) pair(ctx context.Context, s *spool.Stream) (*spool.Spool, *spool.Stream, error) {
	p := &pairs{w: w, to: spool.New(w.options.TempDir, w.options.Memory/4), now: math.MinInt64}
	p.stream = p.to.Stream()
	err := w.spool.Each(ctx, p.add, s)
	if err == nil {
		err = p.rest()
	}
	if err != nil {
		p.to.Close()
		return nil, nil, err
	}
	return p.to, p.stream, nil
}

// writeClosed writes the threads of the tracks that are closed.
func (w *Writer) writeClosed(ctx context.Context) error {
	if w.closed == nil {
		return nil
	}
	records := w.spool.OpenBeside(w.closed)
	for records.Next() {
		k := Track{w: w}
		k.setTraits(records.Body[0])
		r := reader{spool.Numbers{Rest: records.Body[1:]}}
		k.group = w.groups[r.Wide()]
		size := r.Wide()
		k.name, k.records = string(r.Rest[:size]), spool.Unpack(r.Rest[size:])
		if err := w.writeTrack(ctx, &k); err != nil {
			return err
		}
	}
	return records.Err()
}
