package goroutines

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

func open(t testing.TB, path string) *lazy.LazyTraceReader {
	t.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// named returns the list of threads with names; "" for a thread without one.
func named(t *testing.T, names []string) *lazy.ThreadList {
	w := formattest.NewBuilder(t)
	x := w.Variable("x")
	for i, name := range names {
		w.Thread(int32(i))
		if name != "" {
			w.Name(name)
		}
		w.Access(format.ClassVariableRead, -1, x)
	}
	return open(t, w.File()).ThreadList()
}

func forest(t *testing.T, list *lazy.ThreadList) *Forest {
	t.Helper()
	f, err := NewForest(t.Context(), list, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestForest: threads are below those that started them, in order of their numbers.
func TestForest(t *testing.T) {
	list := named(t, []string{
		"main",
		"goroutine 26 a.worker ← 1 a.main a.go:1",
		"AWT",
		"goroutine 19 a.worker ← 1 a.main a.go:1",
		"goroutine 6 a.retry ← 26 a.worker a.go:2",
		"goroutine 7 time.goFunc",
		"goroutine 40 a.retry ← 39 a.worker a.go:2",
		"",
		"goroutine 5 a.more ← 6 a.retry a.go:3",
		"b › main",
		"b › goroutine 26 b.f ← 1 b.main b.go:1",
		"goroutine ? a.worker ← 1 a.main a.go:1",
	})
	f := forest(t, list)
	got := ""
	for place := range list.Len() {
		i := f.At(place)
		got += fmt.Sprintf("%d:%d+%d ", i, f.Depth(i), f.Below(i))
		if f.Place(i) != place {
			t.Errorf("thread %d is at %d, not %d", i, f.Place(i), place)
		}
	}
	if want := "0:0+5 3:1+0 1:1+2 4:2+1 8:3+0 11:1+0 5:0+0 6:0+0 9:0+1 10:1+0 2:0+0 7:0+0 "; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if i, ok := f.Find("b", 26); !ok || i != 10 {
		t.Errorf("goroutine 26 of b is thread %d, %v", i, ok)
	}
	for _, none := range []Name{{Number: 39}, {Program: "c", Number: 1}, {Program: "b", Number: 19}} {
		if i, ok := f.Find(none.Program, none.Number); ok {
			t.Errorf("%+v is thread %d", none, i)
		}
	}
	var up []int
	f.Ancestors(8, func(i int) bool { up = append(up, i); return true })
	for _, c := range []struct {
		thread, most int
		want         string
	}{
		{8, 9, "g5 ← g6 ← g26 ← g1 main"}, {8, 3, "g5 ← g6 ← … ← g1 main"}, {0, 9, "g1 main"},
		{6, 9, "g40 ← g39, which is not in the trace"}, {11, 9, "g? ← g1 main"}, {5, 9, "g7"}, {2, 9, ""},
	} {
		if got := f.Path(c.thread, c.most, "←", "…"); got != c.want {
			t.Errorf("path of %d: %q, want %q", c.thread, got, c.want)
		}
	}
	if !slices.Equal(up, []int{4, 1, 0}) || !f.Linked() || !Likely(list) {
		t.Errorf("above 8: %v", up)
	}
}

// TestNoForest: threads of other programs are roots, in their order.
func TestNoForest(t *testing.T) {
	list := named(t, []string{"main", "pool-1", "", "goroutine 7"})
	f := forest(t, list)
	if f.Linked() || Likely(list) || f.Depth(3) != 0 {
		t.Error("somebody started somebody")
	}
}

// TestAdopted: the main of a process is below the thread that started it, or else below the main of the parent. Notes of threads that are
// not there, or of another process, link nothing.
func TestAdopted(t *testing.T) {
	w := formattest.NewBuilder(t)
	x := w.Variable("x")
	for i, name := range []string{"main", "goroutine 7 a.f ← 1 a.g a.go:1", "b 2 › main", "b 3 › main", "b 3 › goroutine 7 a.f ← 1 a.g a.go:1", "b 4 › main", "b 5 › goroutine 6", "b 6 › main", "b 7 › main", "b 10 › main"} {
		w.Thread(int32(i))
		w.Name(name)
		if i == 0 {
			for _, note := range []string{
				`1 pid 1 shown ""`, `2 pid 2 parent 1 via 2 shown "b 2"`, `3 pid 3 parent 1 via 3 shown "b 3"`, `4 pid 4 parent 3 via 4 shown "b 4"`,
				`5 pid 5 parent 1 via 5 shown "b 5"`, `6 pid 6 parent 5 via 6 shown "b 6"`, `7 pid 7 parent 3 via 7 shown "b 7"`, `8 parent 1`, `9 pid 9 shown "b 9"`, `10 pid 10 parent 9 via 10 shown "b 10"`,
				"1 started 2 thread 1 event 3", "3 started 4 thread 0 event 4", "3 started 7 thread 77 event 5", "9 started 10 thread 1 event 6",
			} {
				w.Text("tracex: process " + note)
			}
		}
		w.Access(format.ClassVariableRead, -1, x)
	}
	list := open(t, w.File()).ThreadList()
	f := forest(t, list)
	for i, want := range []int{-1, 0, 1, 0, 3, 3, -1, -1, 3, -1} {
		parent, ok := f.Parent(i)
		if !ok {
			parent = -1
		}
		if parent != want || f.Adopted(i) != (ok && i != 1 && i != 4) {
			t.Errorf("thread %d is below %d, not %d", i, parent, want)
		}
	}
	if got := f.Path(4, 9, "←", "…"); got != "g7 ← g1 main" || !f.Linked() || !Likely(list) {
		t.Errorf("the path in a process is %q", got)
	}
}

// TestHostile: names that contradict each other still give a forest of all threads.
func TestHostile(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 1))
	for try := range 200 {
		n := 1 + random.IntN(30)
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprintf("goroutine %d a.f ← %d a.g a.go:1", 1+random.IntN(n), 1+random.IntN(n))
		}
		f := forest(t, named(t, names))
		seen := make([]bool, n)
		var open []int // ends of those around a place
		for place := range n {
			i := f.At(place)
			if seen[i] {
				t.Fatalf("%d: thread %d is there twice", try, i)
			}
			seen[i] = true
			for len(open) > 0 && open[len(open)-1] < place {
				open = open[:len(open)-1]
			}
			if len(open) != f.Depth(i) {
				t.Fatalf("%d: %q: thread %d is %d deep, not %d", try, names, i, f.Depth(i), len(open))
			}
			if p, ok := f.Parent(i); ok != (f.Depth(i) > 0) || ok && (f.Depth(p) != f.Depth(i)-1 || f.Place(p) > place || f.Place(p)+f.Below(p) < place) {
				t.Fatalf("%d: the parent of %d is %d", try, i, p)
			}
			open = append(open, place+f.Below(i))
		}
	}
}

// TestLarge compares a generated forest with a plain calculation.
func TestLarge(t *testing.T) {
	const n = 9000
	list := open(t, formattest.File(t, formattest.Spec{Shape: formattest.Goroutines, N: n, Seed: 1, Started: true})).ThreadList()
	f := forest(t, list)
	numbers := make([]int64, n)
	list.Plain(0, n, func(i int, name string) bool {
		parsed, ok := Parse(name)
		if numbers[i] = parsed.Number; !ok {
			t.Errorf("%q", name)
		}
		return true
	})
	var want []int
	var grow func(thread int)
	grow = func(thread int) {
		want = append(want, thread)
		var below []int
		for c := 8*thread + 1; c <= 8*thread+8 && c < n; c++ {
			below = append(below, c)
		}
		slices.SortFunc(below, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
		for _, c := range below {
			grow(c)
		}
	}
	grow(0)
	for place, i := range want {
		if f.At(place) != i {
			t.Fatalf("thread %d at place %d, want %d", f.At(place), place, i)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var c Cache
	if _, err := c.Get(stopped, list, nil); err == nil || c.Last() != nil {
		t.Error("not stopped")
	}
	first, err := c.Get(t.Context(), list, nil)
	if again, _ := c.Get(stopped, list, nil); err != nil || again != first || c.Last() != first {
		t.Error("not kept")
	}
}

// BenchmarkForest makes the forest of a million threads.
func BenchmarkForest(b *testing.B) {
	list := open(b, formattest.File(b, formattest.Spec{Shape: formattest.Goroutines, N: 1_000_000, Seed: 1, Timed: true, Started: true})).ThreadList()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewForest(b.Context(), list, nil); err != nil {
			b.Fatal(err)
		}
	}
}
