package calltrace

import (
	"context"
	"time"

	"tracex/recorder/convert/fit"
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
	w.finishing = true
	if w.threads == 0 && w.err == nil {
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
	if w.err = w.blocks.To.End(w.last - w.origin); w.err != nil {
		return nil, w.err
	}
	w.left.Count(longText, w.dict.Cut, -1)
	return &Summary{
		Threads: int(w.threads), Events: w.events, LeftOut: w.left.List(), Took: time.Duration(w.last - w.first),
	}, nil
}

// writeTrack writes the threads of a track.
func (w *Writer) writeTrack(ctx context.Context, k *Track) error {
	l := &lanes{w: w, name: k.fullName()}
	from, stream := w.spool, k.records
	if k.begins && !k.complete && !k.nesting.tangled {
		n := &nested{lanes: l}
		if err := w.each(ctx, from, stream, n.add); err != nil {
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
	if err := w.each(ctx, from, stream, o.add); err != nil {
		return err
	}
	return o.end()
}

// each reads a stream.
func (w *Writer) each(ctx context.Context, from *spool.Spool, s *spool.Stream, add func(ns int64, record []byte) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	records, err := from.Open(s)
	if err != nil {
		return err
	}
	for n := 1; records.Next(); n++ {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			w.progress()
		}
		if err := add(records.Time, records.Body); err != nil {
			return err
		}
	}
	w.progress()
	return records.Err()
}

func (w *Writer) progress() {
	if w.options.Progress != nil && w.blocks.To != nil {
		w.options.Progress(w.blocks.To.DataSize())
	}
}

// LeftOut is what is not in the trace, or was mended.
type LeftOut = fit.LeftOut

// Summary tells what was written.
type Summary struct {
	Threads int
	Events  int64         // calls, values of variables, and exceptions
	Took    time.Duration // from the first event to the last
	LeftOut []LeftOut     // the largest counts first
}

// Why the Writer itself leaves something out.
var (
	backwards    = fit.Why("time before that of the event before; moved to it", "times before those of the events before; moved to them")
	early        = fit.Why("event from before the beginning; moved to it", "events from before the beginning; moved to it")
	noBegin      = fit.Why("end without a begin", "ends without a begin")
	tooDeep      = fit.Why("call nested too deeply", "calls nested too deeply")
	rounded      = fit.Why("call that ends by rounding just after the one around it; it ends with it", "calls that end by rounding just after the ones around them; they end with these")
	tooManyLanes = fit.Why("call that overlaps too many others", "calls that overlap too many others")
	manyTracks   = fit.Why("event beyond the first 1,048,576 tracks", "events beyond the first 1,048,576 tracks")
	negative     = fit.Why("negative duration; taken as 0", "negative durations; taken as 0")
	longText     = fit.Why("text cut to 65,535 bytes", "texts cut to 65,535 bytes")
	largeValue   = fit.Why("value too large or nested too deeply", "values too large or nested too deeply")
	manyArgs     = fit.Why("argument beyond the first 1,024 of a call", "arguments beyond the first 1,024 of a call")
	others       = fit.Why("thing of another kind", "things of other kinds")
)

// kindsLeft bounds how many kinds of things are counted separately: some are named after something
// in the input.
const kindsLeft = 1 << 10

// Leave counts something of the input that has no place in the trace: one or several, such as
// "flow event" and "flow events". at is where it is in the input, in bytes; -1 if unknown.
func (w *Writer) Leave(one, several string, n, at int64) {
	why := fit.Reason{One: one, Several: several}
	if w.left.Kinds() >= kindsLeft && w.left.Counted(why) == 0 {
		why = others
	}
	w.left.Count(why, n, at)
}

// LeaveAll counts what a converter has counted.
func (w *Writer) LeaveAll(left *fit.Tally) { w.left.Add(left) }
