package lazy

import (
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/internal/walk"
)

// TestLoader: a loader without a tree counts children, loads ranges of them, forgets
// them, and finds the same ones again.
func TestLoader(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.WideCalls, N: 3000, Seed: 2}
	r := ready(t, formattest.File(t, spec), Options{NoWrite: true})
	for _, folded := range []bool{false, true} {
		ld := newLoader(r.r, folded)
		v, epoch := r.r.Moment()
		ld.now = walk.Instant{View: v, Epoch: epoch}
		th := ld.newThread(v.Streams.Thread(0))
		n := th
		for n.Point() == nil || n.e.Load().End-n.e.Load().Start < 1000 {
			n = child(t, ld, n, 0)
		}
		count, exact, err := ld.CountChildren(t.Context(), n, 0)
		if err != nil || !exact || count < 2000 {
			t.Fatalf("%d children, exact %v: %v", count, exact, err)
		}
		want := child(t, ld, n, count-1).Point().Event
		all, err := ld.Children(t.Context(), n)
		if err != nil || int64(len(all)) != count || all[count-1].Point().Event != want {
			t.Fatalf("%d children of %d, the last is event %d, want %d: %v", len(all), count, all[count-1].Point().Event, want, err)
		}
		if st := ld.Stats(); st.Loaded < count || st.Bytes > st.Budget {
			t.Errorf("%+v", st)
		}
		if n := ld.Forget(th); n < len(all) || ld.Stats().Loaded != 0 {
			t.Errorf("forgot %d, %+v", n, ld.Stats())
		}
	}
}

func child(t *testing.T, ld *loader, n *Node, i int64) *Node {
	t.Helper()
	c, err := ld.Child(t.Context(), n, i)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
