package query

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// plainOnly calculates what OnlyOpen returns by looking at all nodes: the event, and -1 for none.
func plainOnly(x *plainOpen, threads []int32, from, to int64) int32 {
	var roots []*node
	several := false
	for _, id := range threads {
		first, last, _ := extentOf(x.roots[id])
		if first > to || last < from {
			continue
		}
		several = several || roots != nil
		roots = x.roots[id]
	}
	if several || roots == nil {
		return -1
	}
	begin, end := openIn(roots, from), openIn(roots, to)
	if end == nil {
		return -1
	}
	for n := begin; n != nil; n = n.parent {
		for m := end; m != nil; m = m.parent {
			if n == m && n.class == format.ClassCall {
				return n.event
			}
		}
	}
	return -1
}

// TestOnlyOpen compares the call that was open all the time with what the nodes tell, for some threads and for one.
func TestOnlyOpen(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 2))
	found, none := 0, 0
	for seed := range uint64(6) {
		r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Random, Threads: 3, N: 300, Seed: seed, Timed: true}))
		x := plainOpenOf(t, r, true)
		var ids []int32
		for id := range r.ThreadList().All() {
			ids = append(ids, id.ID)
		}
		_, length, _ := r.Recording()
		for range 200 {
			from := random.Int64N(int64(length) + 1)
			to := from + random.Int64N(int64(length)/20+1)
			threads := ids
			if random.IntN(3) > 0 {
				threads = []int32{ids[random.IntN(len(ids))]}
			}
			at, event, err := OnlyOpen(t.Context(), r, threads, from, to)
			if err != nil {
				t.Fatal(err)
			}
			want := plainOnly(x, threads, from, to)
			if event != want {
				t.Fatalf("seed %d, %v from %d to %d: event %d, want %d", seed, threads, from, to, event, want)
			}
			if event < 0 {
				none++
				continue
			}
			found++
			if i := slices.IndexFunc(x.all, func(n *node) bool { return n.at == at }); i < 0 || x.all[i].event != event {
				t.Errorf("%v is not that of #%d", at, event)
			}
		}
	}
	if found < 50 || none < 50 {
		t.Errorf("%d found, %d not", found, none)
	}
	untimed := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Random, N: 20, Seed: 1}))
	if _, _, err := OnlyOpen(t.Context(), untimed, []int32{0}, 1, 2); !errors.Is(err, lazy.ErrNoTimes) {
		t.Error(err)
	}
}
