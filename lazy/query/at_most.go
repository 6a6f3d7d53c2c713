package query

import (
	"context"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// AtMost returns how many matches a filter has at most, by the summary beside the trace. ok is false if
// that is not known: without a summary that fits, or if ctx ends before. It reads nothing of the trace.
func AtMost(ctx context.Context, r *lazy.LazyTraceReader, raw bool, e *filter.Expr) (n int64, ok bool) {
	f, err := bound(r, e)
	if err != nil {
		return 0, false
	}
	calls := true
	for class := format.ClassCall; class.Valid(); class++ {
		calls = calls && (class == format.ClassCall || !f.MayBe(class))
	}
	want := lazy.Want{
		Longer: f.Longer(),
		Point:  func(class format.Class, ref, thread int32) bool { return f.Quick(class, ref, thread) != filter.No },
	}
	if n, ok = lazy.SummaryOf(r).AtMost(ctx, want, calls); !ok || raw || !calls {
		return n, ok
	}
	if c, known := callsAtMost(r, f); known {
		n = min(n, c)
	}
	return n, true
}

// askedThreads bounds for how many threads a method is asked about.
const askedThreads = 64

// callsAtMost returns how many calls a filter matches at most, by how often each method is called in the
// folded view.
func callsAtMost(r *lazy.LazyTraceReader, f *filter.Filter) (n int64, ok bool) {
	threads := r.ThreadList()
	top := NewTop(r, Scope{}, ByMethod)
	if threads.Len() > askedThreads || !top.Recall() {
		return 0, false
	}
	r.WithContext(func(*format.Context) {
		for i, g := range top.groups.all {
			for k := range threads.Len() {
				if g.Unknown || f.Quick(format.ClassCall, g.ID, threads.ID(k)) != filter.No {
					n += top.rows[i].Calls
					break
				}
			}
		}
	})
	return n, true
}
