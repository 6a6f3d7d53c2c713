package lazy

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/internal/walk"
)

// growingTimes returns a trace whose times become known with its data, or later.
func growingTimes(t *testing.T, spec formattest.Spec) (g *growing, times []byte, more func(n int)) {
	path := formattest.File(t, spec)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if times, err = os.ReadFile(path + ".tim"); err != nil {
		t.Fatal(err)
	}
	g = newGrowing(t, data, 64<<20)
	g.r.TimesPath = filepath.Join(t.TempDir(), "grows.tim")
	have := 0
	return g, times, func(n int) {
		have = min(have+n, len(times))
		if err := os.WriteFile(g.r.TimesPath, times[:have], 0o644); err != nil {
			t.Fatal(err)
		}
		g.r.GrowTimes()
	}
}

// TestTimesGrow: in a growing trace, with times that arrive before or after the
// data, no time is wrong, and in the end all are known. Sorted nodes stay sorted, with
// later children after the sorted ones.
func TestTimesGrow(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(8) {
		spec := formattest.Spec{Shape: formattest.Random, N: 300, Seed: seed, Timed: true}
		spec.BlockSize = 512 << (seed % 3)
		spec.Dump = seed == 5
		t.Run(spec.Name(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 5))
			path := formattest.File(t, spec)
			want := pair(t, path)
			g, times, more := growingTimes(t, spec)
			tree, sorted := g.Tree(false), g.Tree(false)
			for grows := true; grows; {
				grows = g.grow(rng.Int64N(3000) + 1)
				more(rng.IntN(len(times) / 5 >> (3 * (seed % 2)))) // before the data, or after it
				tree.Refresh()
				sorted.Refresh()
				for _, n := range walkAll(t, tree, rng) {
					took, ok := n.Time()
					if p := n.Point(); ok && p != nil && took != want.events[p.Event] {
						t.Fatalf("event %d: %v, want %v", p.Event, took, want.events[p.Event])
					}
					if n.e.Load().HasContent() && rng.IntN(4) == 0 {
						if _, _, err := tree.CountChildren(ctx, n, 0); err != nil {
							t.Fatal(err)
						}
					}
				}
				sortGrowing(t, sorted, g.Tree(false), rng)
				sameLength(t, g.LazyTraceReader)
			}
			more(len(times))
			g.r.Rest(nil)
			if st := g.Status(); st.TimesReason != nil {
				t.Fatal(st.TimesReason)
			}
			compareTimes(t, g.LazyTraceReader, want)
			for _, n := range walkAll(t, tree, rng) {
				if _, _, err := tree.CountChildren(ctx, n, 0); err != nil {
					t.Fatal(err)
				}
				if _, exact, known := n.Self(); known && !exact || !n.IsThread() && !known && n.e.Load().HasContent() {
					t.Fatalf("self of %v: known %v, exact %v", n.Position(), known, exact)
				}
			}
		})
	}
}

// sameLength compares the length of a recording, computed incrementally, with that
// over all threads.
func sameLength(t *testing.T, r *LazyTraceReader) {
	t.Helper()
	for {
		before := r.r.Known.Load()
		_, length, ok := r.Recording()
		steps := r.r.Length.Load()
		r.r.Length.Store(nil)
		_, want, wantOK := r.Recording()
		r.r.Length.Store(steps)
		if r.r.Known.Load() != before {
			continue // it has grown meanwhile
		}
		if length != want || ok != wantOK {
			t.Fatalf("a length of %v, %v, but all threads say %v, %v", length, ok, want, wantOK)
		}
		return
	}
}

// TestLengthIsWorkedOutOnce: the length of a recording without an end is computed once,
// although each frame requests it.
func TestLengthIsWorkedOutOnce(t *testing.T) {
	r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Goroutines, N: 500, Crash: formattest.CrashLost, Timed: true}), Options{NoWrite: true})
	_, length, ok := r.Recording()
	first := r.r.Length.Load()
	if !ok || length <= 0 || first.Looks == 0 {
		t.Fatalf("%v, %v after %d looks", length, ok, first.Looks)
	}
	if _, again, _ := r.Recording(); again != length || r.r.Length.Load() != first {
		t.Errorf("worked out again: %v, before %v", again, length)
	}
}

// sortGrowing sorts the threads of a tree, or does not, and checks that each of
// their children, all of which all has, has a row. Often it does not check, and what
// was sorted earlier is loaded when there is more.
func sortGrowing(t *testing.T, tree, all *Tree, rng *rand.Rand) {
	t.Helper()
	ctx := context.Background()
	tree.sorter.maxRange = 1 + rng.IntN(4)
	for _, th := range tree.Threads() {
		tree.Expand(th)
		if _, ok := tree.r.Times(); ok && rng.IntN(3) == 0 {
			if err := tree.Sort(ctx, th, OrderWeight, nil); err != nil {
				t.Fatal(err)
			}
		}
		if rng.IntN(3) > 0 {
			continue
		}
		if rng.IntN(4) == 0 {
			tree.Forget(th)
			tree.Expand(th)
		}
		seen := make(map[Position]bool)
		for _, n := range rowsOf(t, tree, th, rng.IntN(2) == 0, rng) {
			if seen[n.Position()] {
				t.Fatalf("the child at %v has two rows", n.Position())
			}
			seen[n.Position()] = true
		}
		kids, err := all.Children(ctx, all.thread(th.Thread()))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range kids {
			if !seen[n.Position()] {
				t.Fatalf("the child at %v of %d has no row", n.Position(), len(kids))
			}
		}
		if len(seen) != len(kids) {
			t.Fatalf("%d rows, %d children", len(seen), len(kids))
		}
	}
}

// TestSelfWhenTimesComeLate: children that were counted before they had times are
// counted once more.
func TestSelfWhenTimesComeLate(t *testing.T) {
	ctx := context.Background()
	spec := formattest.Spec{Shape: formattest.WideCalls, N: 4 * walk.TallyEvery, Timed: true}
	spec.BlockSize = 32 << 10
	want := pair(t, formattest.File(t, spec))
	g, times, more := growingTimes(t, spec)
	tree := g.Tree(false)
	var root *Node
	for grows := true; grows; {
		grows = g.grow(100 << 10)
		more(2000)
		tree.Refresh()
		var err error
		if root, err = tree.Child(ctx, tree.Threads()[0], 0); err != nil {
			t.Fatal(err)
		}
		if _, _, err := tree.CountChildren(ctx, root, 0); err != nil {
			t.Fatal(err)
		}
	}
	more(len(times))
	g.r.Rest(nil)
	kids := int64(0)
	for event, took := range want.events {
		if event != root.Point().Event {
			kids += took.Duration
		}
	}
	tree.Refresh()
	if count, exact, _ := root.Count(); exact || count != int64(spec.N) {
		t.Fatalf("%d children, exact %v, before their times were looked at", count, exact)
	}
	if _, exact, err := tree.CountChildren(ctx, root, 0); err != nil || !exact {
		t.Fatalf("counted, exact %v: %v", exact, err)
	}
	if count, exact, _ := root.Count(); !exact || count != int64(spec.N) {
		t.Fatalf("%d children, exact %v", count, exact)
	}
	if self, exact, _ := root.Self(); !exact || self != want.events[root.Point().Event].Duration-kids {
		t.Fatalf("self %d, exact %v, want %d", self, exact, want.events[root.Point().Event].Duration-kids)
	}
}
