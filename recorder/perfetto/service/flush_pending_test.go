package service

import (
	"slices"
	"testing"
)

// TestFlushes has two flushes that one answer to the second completes, and one that
// is never answered.
func TestFlushes(t *testing.T) {
	var f flushes
	a, b := new(producer), new(producer)
	ended := map[uint64]bool{}
	begin := func(id uint64, of ...*producer) *flush {
		pending := f.begin(id, func(ok bool) { ended[id] = ok })
		for _, p := range of {
			pending.waiting[p] = true
		}
		return pending
	}
	begin(1, a)
	begin(2, a, b)
	third := begin(3, a)
	third.unhandled = 1
	if got := f.answered(a, 2); !slices.Equal(got, []uint64{1}) {
		t.Errorf("the first producer's answer ends %d", got)
	}
	if got := f.answered(a, 3); len(got) > 0 || f.complete(3) {
		t.Errorf("a flush ends, %d, while something is not handled", got)
	}
	if third.unhandled = 0; !f.complete(3) || f.complete(2) || f.complete(7) {
		t.Error("the third flush waits for nothing, the second for a producer, the seventh is none")
	}
	for id, ok := range map[uint64]bool{1: true, 3: false} {
		f.end(id, ok).done(ok)
	}
	if f.end(1, true) != nil {
		t.Error("a flush ended twice")
	}
	f.abandon()
	if len(ended) != 3 || ended[2] || f.requested != 3 || f.succeeded != 1 || f.failed != 1 || len(f.pending) > 0 {
		t.Errorf("ended %v, counted %+v", ended, f)
	}
}
