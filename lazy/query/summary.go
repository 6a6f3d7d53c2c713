package query

import (
	"context"
	"time"

	"tracex/lazy"
)

// WriteSummary makes the summary file of a trace, see [lazy.SummaryFile.Write]. progress may
// be nil.
func WriteSummary(ctx context.Context, r *lazy.LazyTraceReader, gently bool, progress lazy.Progress) error {
	o, err := summaryOptions(ctx, r, lazy.SummaryUnit)
	if err != nil {
		return err
	}
	o.Gently, o.Progress = gently, progress
	return lazy.SummaryOf(r).Write(ctx, o)
}

// KeepSummary makes the summary file of a trace of at least so many bytes, if it has none that fits,
// once the trace has been open for idle and while nothing else is asked. It returns when there is
// nothing left to do, or ctx ends. What fails shows in [lazy.SummaryFile.Known].
func KeepSummary(ctx context.Context, r *lazy.LazyTraceReader, least int64, idle time.Duration) {
	t := time.NewTimer(idle)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
		return
	}
	if file := lazy.SummaryOf(r); file.Missing(ctx) {
		if size, _ := r.Size(); size >= least {
			_ = WriteSummary(ctx, r, true, nil)
			file.State() // for Known
		}
	}
}

// VerifySummary compares the summary file of a trace with its data, see
// [lazy.SummaryFile.Verify]. progress may be nil.
func VerifySummary(ctx context.Context, r *lazy.LazyTraceReader, progress lazy.Progress) error {
	o, err := summaryOptions(ctx, r, lazy.SummaryUnit)
	if err != nil {
		return err
	}
	o.Progress = progress
	return lazy.SummaryOf(r).Verify(ctx, o)
}

func summaryOptions(ctx context.Context, r *lazy.LazyTraceReader, unit int64) (lazy.SummaryOptions, error) {
	if err := r.Wait(ctx); err != nil { // all threads are known then
		return lazy.SummaryOptions{}, err
	}
	t := newStoredTops(r, unit)
	return lazy.SummaryOptions{Tables: t, Encode: t.encode, Unit: unit}, nil
}
