package lazy

import (
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestThreadEnds: how threads ended, by their last point.
func TestThreadEnds(t *testing.T) {
	w := formattest.NewBuilder(t)
	run, x := w.Method("app", "run", formattest.IntType), w.Variable("x")
	begin := func() {
		w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: run, Target: format.Null()})
	}
	throw := func(class string) {
		w.Footer(format.ClassCall, &format.Footer{Result: format.Value{Kind: format.ValueVoid}, Exception: class, Threw: true})
	}
	threads := []struct {
		make func()
		want ThreadEnd
	}{
		{func() { w.Call(-1, run, func() { w.Call(-1, run, nil) }) }, ThreadEnd{}},
		{func() { w.Call(-1, run, nil); begin(); begin(); throw("app.Inner"); throw("app.Error") }, ThreadEnd{Threw: true, Exception: "app.Error"}},
		{func() { begin(); begin(); throw("app.Error"); w.Call(-1, run, nil) }, ThreadEnd{State: StateUnfinished}},
		{func() { begin(); throw("app.Error"); w.Access(format.ClassVariableRead, -1, x) }, ThreadEnd{}},
		{func() {}, ThreadEnd{}},
	}
	for i, c := range threads {
		w.Thread(int32(i))
		w.Name("thread")
		c.make()
	}
	r := ready(t, w.File(), Options{NoWrite: true})
	all := r.ThreadList()
	if all.Len() != len(threads) {
		t.Fatalf("%d threads", all.Len())
	}
	for i, got := range all.Ends([]int{0, 1, 2, 3, 4}) {
		if want := threads[i].want; got != want {
			t.Errorf("thread %d: %+v, want %+v", i, got, want)
		}
	}
}

// BenchmarkThreadEnd reads the end of one large thread.
func BenchmarkThreadEnd(b *testing.B) {
	for _, s := range []formattest.Spec{
		{Shape: formattest.Deep, N: 1_000_000, Seed: 1}, {Shape: formattest.WideLeaves, N: 1_000_000, Seed: 1}, {Shape: formattest.Calls, N: 1_000_000, Seed: 1},
	} {
		b.Run(string(s.Shape), func(b *testing.B) {
			all := ready(b, formattest.File(b, s), Options{NoWrite: true}).ThreadList()
			for b.Loop() {
				all.Ends([]int{0})
			}
		})
	}
}
