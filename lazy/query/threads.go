package query

import (
	"context"
	"strconv"

	"tracex/lazy"
	"tracex/lazy/query/goroutines"
)

// ThreadsNamed returns the threads that a text names: by the number of their goroutine, such as g45, by their own, as
// people count, or by their name. It is empty if the trace has none.
func ThreadsNamed(ctx context.Context, r *lazy.LazyTraceReader, text string) (ids []int32, err error) {
	if n, ok := goroutines.Read(text); ok {
		if ids, err = goroutines.Threads(ctx, r.ThreadList(), n); err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	if n, err := strconv.ParseInt(text, 10, 32); err == nil && n > 0 {
		if _, ok := r.ThreadInfo(int32(n - 1)); ok {
			return []int32{int32(n - 1)}, nil
		}
	}
	for t := range r.ThreadList().All() {
		if t.Name == text {
			ids = append(ids, t.ID)
		}
	}
	return ids, nil
}
