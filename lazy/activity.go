package lazy

import (
	"context"
	"errors"
)

// ActivityOf returns how many calls, loops and iterations of a thread ended in each of n equal parts of a span
// of time, as recorded: in nanoseconds as [LazyTraceReader.Times] counts, from before to. Those that ended
// before the span are in the first part, those that ended after it, or have no time, in the last: all
// together they are [Population.Containers]. It takes n searches, whatever the size of the thread. The error
// is [ErrNoTimes] in a trace without times.
func ActivityOf(ctx context.Context, r *LazyTraceReader, thread int32, from, to int64, n int) (ended []int64, err error) {
	for {
		v, epoch := r.moment()
		err = r.use(func() error {
			if !r.timed() {
				return ErrNoTimes
			}
			w, err := r.walkerOn(v, thread)
			if err != nil {
				return err
			}
			ended = w.activity(from, to, n)
			return ctx.Err()
		})
		if errors.Is(err, errStale) && ctx.Err() == nil && r.known.Load() != v {
			continue
		}
		return ended, r.doubt(err, v, epoch)
	}
}

// activity is ActivityOf. It must be called within use.
func (w *walker) activity(from, to int64, n int) []int64 {
	axis := timeAxis{w: w}
	ended := make([]int64, n)
	before := int64(0)
	for i := range ended {
		upto := w.s.Cells.Len()
		if i+1 < n {
			upto = axis.firstAfter(from+mulDiv(int64(i+1), to-from, int64(n)), before)
		}
		ended[i], before = upto-before, upto
	}
	return ended
}
