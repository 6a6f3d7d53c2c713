package lazy

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/times"
)

// useAtRandom uses a tree as one of many goroutines; errors are as good as results.
func useAtRandom(tree *Tree, rng *rand.Rand) {
	ctx := context.Background()
	tree.Refresh()
	for _, th := range tree.Threads() {
		tree.Expand(th)
		kids, _ := tree.Children(ctx, th)
		for _, n := range append(kids, th) {
			n.Time()
			n.Self()
			switch rng.IntN(7) {
			case 0:
				tree.Sort(ctx, n, Order(rng.IntN(2)), nil)
			case 1:
				tree.CountChildren(ctx, n, 0)
			case 2:
				tree.Longest(ctx, n, nil)
			case 3:
				tree.Reveal(ctx, Position{Thread: n.Thread(), At: n.Position().At + rng.Int64N(2000)})
			case 4:
				tree.Forget(n)
			case 5:
				n.Order()
			}
		}
	}
	if row, ok := tree.First(); ok {
		for i, r := range tree.Rows(row, 60) {
			if r.Gap() && rng.IntN(3) == 0 {
				tree.Load(ctx, r, End(i%2))
			}
		}
	}
	tree.r.Times()
	tree.r.Recording()
}

// TestTimesShared: many goroutines use times and sorted nodes of a trace whose index
// turns out to be wrong meanwhile, and so do its times. In the end the times that
// fit are known, and the others are not.
func TestTimesShared(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Calls, N: 1500, Seed: 5, Threads: 4, Timed: true}
	spec.BlockSize = 4096
	for _, damaged := range []bool{false, true} {
		path := formattest.File(t, spec)
		want := pair(t, path)
		index, err := os.ReadFile(path + ".idx")
		if err != nil {
			t.Fatal(err)
		}
		// The cells of the roots, which are last, are correct: they are checked
		// when the trace is opened.
		lies := lyingIndex(t, index)
		copy(lies[len(lies)-200*format.CellSize:], index[len(index)-200*format.CellSize:])
		swapCells(t, lies, path)
		if err := os.WriteFile(path+".idx", lies, 0o644); err != nil {
			t.Fatal(err)
		}
		if damaged {
			damageCall(t, path, index)
		}
		r := open(t, path, Options{NoWrite: true, Memory: 1 << 20})
		tree := r.Tree(true)
		tree.sorter.maxRange = 4
		var wg sync.WaitGroup
		for i := range uint64(4) {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(i, 4))
				for range 3 {
					useAtRandom(tree, rng)
					r.Print(context.Background(), new(countWriter), PrintOptions{JSON: true}, PrintRange{})
				}
			})
		}
		wg.Wait()
		for range 2 { // the index may have been replaced after everything else, and be found wrong only now
			if err := r.Wait(context.Background()); err != nil {
				t.Fatal(err)
			}
			r.Print(context.Background(), new(countWriter), PrintOptions{JSON: true}, PrintRange{})
		}
		if st := r.Status(); st.Epoch != 1 || st.Phase != PhaseReady {
			t.Fatalf("the lie was not noticed late: %+v", st)
		}
		if !damaged {
			compareTimes(t, r, want)
		} else if _, ok := r.Times(); ok || !errors.Is(r.Status().TimesReason, times.ErrUnfit) {
			t.Errorf("damaged times are used: %v, reason %v", ok, r.Status().TimesReason)
		}
		for _, th := range tree.Threads() {
			tree.Refresh()
			tree.Forget(th)
		}
		if st := tree.Stats(); st.Bytes != 0 || st.Loaded != 0 {
			t.Errorf("all forgotten, but %+v", st)
		}
		r.Close()
		useAtRandom(tree, rand.New(rand.NewPCG(9, 9))) // nothing is known of a closed trace, but nothing panics
	}
}

// swapCells swaps the cells of a container and of the reference object before it: then
// its time seems to be elsewhere. It takes one that is followed by another point,
// which the index does not name: so that is not noticed at once.
func swapCells(t *testing.T, index []byte, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const size = format.CellSize
	for at := format.HeaderSize + size; at < len(index)-format.IndexTail-size; at += size {
		before, a, b := format.DecodeCell(index[at-size:]), format.DecodeCell(index[at:]), format.DecodeCell(index[at+size:])
		if before.Kind.Reference() || !a.Kind.Reference() || b.Kind != format.KindTracePoint {
			continue
		}
		n, err := format.V22.Size(data[a.Start:], format.ClassCall)
		if err == nil && format.Kind(data[a.Start+int64(n)]) == format.KindTracePoint {
			copy(index[at:], b.Append(nil))
			copy(index[at+size:], a.Append(nil))
			return
		}
	}
	t.Fatal("no container behind a reference object")
}

// damageCall replaces the time of some call in the middle with that of another object.
func damageCall(t *testing.T, path string, index []byte) {
	t.Helper()
	times, err := os.ReadFile(path + ".tim")
	if err != nil {
		t.Fatal(err)
	}
	at := int64(format.HeaderSize)
	for calls := 0; calls < 300; at += format.CellSize {
		if format.DecodeCell(index[at:]).Kind == format.KindTracePoint {
			calls++
		}
	}
	cells := formattest.TimeCells(t, times)
	cells[(at-format.HeaderSize)/format.CellSize-1].ID ^= 0x7f
	if err := os.WriteFile(path+".tim", formattest.TimesOf(cells...), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTimesShrunkWhileOpen: if the file of times is cut short, there are no times from
// then on, and nothing else changes.
func TestTimesShrunkWhileOpen(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 20_000, Seed: 3, Timed: true})
	want := eagerText(t, path, true)
	r := ready(t, path, Options{NoWrite: true})
	tree := r.Tree(true)
	root, err := tree.Child(context.Background(), tree.Threads()[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := root.Time(); !ok {
		t.Fatal("no time of the root")
	}
	if err := os.Truncate(path+".tim", 4096); err != nil {
		t.Skip("a mapped file cannot be cut short here: ", err)
	}
	if _, ok := root.Time(); ok {
		t.Skip("this platform reads what is not there any more")
	}
	if _, ok := r.Times(); ok || !errors.Is(r.Status().TimesReason, mapped.ErrShrunk) {
		t.Errorf("times %v, reason %v", ok, r.Status().TimesReason)
	}
	formattest.SameText(t, printed(t, r, PrintOptions{Folded: true, Verbose: true}), []byte(want))
	if root.Order() != OrderCalls {
		t.Error("still sorted by times that are gone")
	}
	if err := tree.Sort(context.Background(), root, OrderWeight, nil); err != nil || root.Order() != OrderWeight {
		t.Errorf("not sorted by what is nested: %v", err)
	}
}
