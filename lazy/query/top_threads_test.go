package query

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/query/display"
)

// TestTopThreadsTable: a table by thread is that of the rows, in order, and they take few bytes.
func TestTopThreadsTable(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Goroutines, N: 3000, Seed: 1, Timed: true}))
	top := counted(t, r, Scope{}, ByThread, 20_000)
	value := map[string]func(*topRow) int64{
		"self": func(x *topRow) int64 { return x.Self }, "total": func(x *topRow) int64 { return x.Total },
		"calls": func(x *topRow) int64 { return x.Calls }, "max": func(x *topRow) int64 { return x.Max },
		"p99": func(x *topRow) int64 { return x.times.Quantile(0.99) },
	}
	want := plainly(r, forest(t, r, false), ByThread)
	var threads []int32
	for _, th := range r.Threads() {
		if row := want.rows[(&Group{ID: th.ID}).key(ByThread)]; row != nil && row.shown() {
			threads = append(threads, th.ID)
		}
	}
	for key, value := range value {
		of := func(thread int32) int64 { return value(want.rows[(&Group{ID: thread}).key(ByThread)]) }
		for _, rising := range []bool{false, true} {
			slices.SortFunc(threads, func(a, b int32) int {
				order := cmp.Compare(of(b), of(a))
				if rising {
					order = -order
				}
				return cmp.Or(order, cmp.Compare(a, b))
			})
			got := top.Table(View{Sort: key, Rising: rising, Done: 1, G: &display.Unicode})
			if got.Rows.Len() != len(threads) {
				t.Fatalf("%d rows, want %d", got.Rows.Len(), len(threads))
			}
			for i, thread := range threads {
				if row := got.Rows.Row(i); row[got.Column("thread")].Int() != int64(thread)+1 || row[got.Column(key)].Int() != of(thread) {
					t.Fatalf("by %s, rising %v: row %d is %v, want thread %d with %d", key, rising, i, row, thread+1, of(thread))
				}
			}
			if _, h := got.Spread(0); h.Max() != want.rows[(&Group{ID: threads[0]}).key(ByThread)].times.Max() {
				t.Errorf("by %s: the longest call of the first row took %d", key, h.Max())
			}
		}
	}
	if _, all := top.Table(View{G: &display.Unicode}).Spread(-1); int64(all.Count()) != top.all.Calls {
		t.Errorf("%d durations of %d calls", all.Count(), top.all.Calls)
	}
	size := 0
	for _, c := range top.threads.chunks {
		size += len(c)
	}
	if n := len(top.threads.ids); n < 2000 || size/n > 92 {
		t.Errorf("%d rows take %d bytes", n, size)
	}
}

// TestThreadRows: rows come back as they were added, and a thread that is added again has one row.
func TestThreadRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var s threadRows
	want := make(map[int32]*topRow)
	for i := range 5000 {
		id := int32(i)
		if i%1000 == 999 {
			id = int32(rng.IntN(i))
		}
		row := topRow{Sums: Sums{Calls: 1 + rng.Int64N(100), Self: rng.Int64(), Max: rng.Int64N(1e9), Dropped: rng.Int64N(3)}}
		for range rng.IntN(20) {
			row.times.Add(rng.Int64N(1e12) >> rng.IntN(41))
		}
		if s.add(id, &row); want[id] == nil {
			want[id] = new(topRow)
		}
		want[id].add(&row.Sums)
		want[id].times.Merge(&row.times)
	}
	if len(s.ids) != len(want) {
		t.Errorf("%d rows, want %d", len(s.ids), len(want))
	}
	for i, id := range s.ids {
		var got topRow
		s.decode(i, &got)
		if w := want[id]; got.Sums != w.Sums || got.times.Count() != w.times.Count() || got.times.Quantile(0.9) != w.times.Quantile(0.9) || got.times.Max() != w.times.Max() {
			t.Fatalf("thread %d: %+v, want %+v", id, got, w)
		}
	}
}
