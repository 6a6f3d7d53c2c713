package lazy

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"tracex/format/formattest"
)

// TestThreadOrders compares each order with a simple sort of the result of Threads.
func TestThreadOrders(t *testing.T) {
	const n = 40_000 // runs are merged, the last two uneven
	r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Goroutines, N: n, Seed: 1, Timed: true}), Options{NoWrite: true})
	l := r.ThreadList()
	if l.Len() != n {
		t.Fatalf("%d threads", l.Len())
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	rows := l.Rows(all)
	for i, info := range r.Threads() {
		if rows[i].ThreadInfo != info || l.ID(i) != info.ID || l.Index(info.ID) != i || !rows[i].Timed {
			t.Fatalf("thread %d: %+v, and %+v", i, info, rows[i])
		}
	}
	for o, before := range map[ThreadOrder]func(a, b *ThreadRow) int{
		ByName:     func(a, b *ThreadRow) int { return compareThreads(a.Name, b.Name) },
		ByDuration: func(a, b *ThreadRow) int { return int(b.Time.Duration - a.Time.Duration) },
		ByCalls:    func(a, b *ThreadRow) int { return int(b.Containers - a.Containers) },
	} {
		want := slices.Clone(all)
		slices.SortStableFunc(want, func(i, j int) int { return before(&rows[i], &rows[j]) })
		last := int64(-1)
		got, err := l.Sort(t.Context(), o, func(done, total int64) {
			if done < last || done > total {
				t.Errorf("order %d: %d of %d after %d", o, done, total, last)
			}
			last = done
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("order %d is another: %v", o, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Sort(ctx, ByName, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a sort that was stopped: %v", err)
	}
}

// TestCompareThreads: the function of a goroutine comes before its program and its number.
func TestCompareThreads(t *testing.T) {
	order := []string{"AWT-1", "goroutine 20 a.work ← 1 a.main a.go:1", "goroutine 100 a.work", "b.test › goroutine 3 b.Test2 ← 1 testing.T.Run t.go:1",
		"c.test › goroutine 2 b.Test2", "goroutine 1 b.Test10 ← 1 testing.T.Run t.go:1", "goroutine 7", "main", ""}
	for i, a := range order {
		for j, b := range order {
			if c := compareThreads(a, b); c < 0 != (i < j) || c > 0 != (i > j) {
				t.Errorf("%q and %q: %d", a, b, c)
			}
		}
	}
}

func TestCompareNames(t *testing.T) {
	order := []string{"a", "a1", "a2", "a2b", "a02c", "a10", "a10-2", "a10-10", "a99999999999999999999998", "a99999999999999999999999", "ab", "b", "é", ""}
	for i, a := range order {
		for j, b := range order {
			if c := compareNames(a, b); c < 0 != (i < j) || c > 0 != (i > j) {
				t.Errorf("%q and %q: %d", a, b, c)
			}
		}
	}
	// Whatever the names are, the order is consistent.
	rng := rand.New(rand.NewPCG(3, 4))
	var names []string
	for range 60 {
		name := ""
		for range rng.IntN(4) {
			name += []string{"0", "1", "00", "a", strconv.Itoa(rng.IntN(30))}[rng.IntN(5)]
		}
		names = append(names, name)
	}
	for _, a := range names {
		for _, b := range names {
			if x, y := compareNames(a, b), compareNames(b, a); (x < 0) != (y > 0) || (x == 0) != (y == 0) {
				t.Fatalf("%q and %q: %d and %d", a, b, x, y)
			}
			for _, c := range names {
				if compareNames(a, b) < 0 && compareNames(b, c) < 0 && compareNames(a, c) >= 0 {
					t.Fatalf("%q < %q < %q, but not the first and the last", a, b, c)
				}
			}
		}
	}
}
