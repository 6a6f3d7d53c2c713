package query

import (
	"context"
	"slices"

	"tracex/format"
	"tracex/lazy"
)

// OnlyOpen returns the innermost call that was open from a time to a later one, if only one of some threads may have had a call
// open meanwhile, and its event; -1 if several may have had one, or there is no such call. The error is [lazy.ErrNoTimes]
// if the trace has no times.
func OnlyOpen(ctx context.Context, r *lazy.LazyTraceReader, threads []int32, from, to int64) (at lazy.Position, event int32, err error) {
	none, only := lazy.Position{At: -1}, int32(-1)
	for part := range slices.Chunk(threads, atBatch) {
		open, err := lazy.OpenAt(ctx, r, part, from)
		if err != nil {
			return none, -1, err
		}
		for i, id := range part {
			if t, known := r.ThreadTime(id); open[i].State == lazy.OpenEnded || known && t.Start > to {
				continue
			}
			if only >= 0 {
				return none, -1, nil
			}
			only = id
		}
	}
	if only < 0 {
		return none, -1, nil
	}
	var paths [2][]lazy.PassFrame
	for i, when := range []int64{from, to} {
		open, err := lazy.OpenAt(ctx, r, []int32{only}, when)
		if err != nil || open[0].State != lazy.OpenIn {
			return none, -1, err
		}
		c := &framesCollector{found: make(map[int32][]lazy.PassFrame), own: true}
		if err := r.Pass(ctx, lazy.Pass{Raw: true, Ranges: pointRanges([]lazy.Position{open[0].Position}), Collect: []lazy.Collector{c}}); err != nil {
			return none, -1, err
		}
		paths[i] = c.found[only]
	}
	at, event = none, -1
	for i, f := range paths[0] {
		if i >= len(paths[1]) || paths[1][i].At != f.At {
			break
		}
		if f.Class == format.ClassCall {
			at, event = lazy.Position{Thread: only, At: f.At}, f.Event
		}
	}
	return at, event, nil
}
