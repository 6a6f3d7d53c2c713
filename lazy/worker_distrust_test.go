package lazy

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
)

// lyingIndex returns an index that passes all checks on opening, but contradicts the
// data in the middle: it has containers where none begin, but only ones that opening
// does not check, since no block ends within them.
func lyingIndex(t *testing.T, index []byte) []byte {
	t.Helper()
	bad := bytes.Clone(index)
	lies := 0
	for pos := format.HeaderSize; pos < len(bad)-format.IndexTail; pos += format.CellSize {
		if format.Kind(bad[pos]) != format.KindTracePoint {
			continue
		}
		if start := binary.BigEndian.Uint64(bad[pos+5:]); start%11 == 0 && start > 2 {
			binary.BigEndian.PutUint64(bad[pos+5:], start-1)
			lies++
		}
	}
	if lies == 0 {
		t.Fatal("no lie")
	}
	return bad
}

// TestContradictionFoundLate: trees that use a wrong index, from many goroutines,
// recover when the index is rebuilt, and show what the data has. Expanded threads
// stay expanded.
func TestContradictionFoundLate(t *testing.T) {
	ctx := context.Background()
	for _, noWrite := range []bool{true, false} {
		name := map[bool]string{false: "threads.stream.bin", true: "threads.v27.stream.bin"}[noWrite]
		path := formattest.Unpack(t, name)
		good := formattest.Recorded(t, name+".idx")
		if err := os.WriteFile(path+".idx", lyingIndex(t, good), 0o644); err != nil {
			t.Fatal(err)
		}
		want := eagerText(t, path, true)
		r := ready(t, path, Options{NoWrite: noWrite})
		if st := r.Status(); st.Index != IndexRecorded {
			t.Fatalf("the lie was noticed at once: %+v", st)
		}
		tree := r.Tree(true)
		for _, th := range tree.Threads() {
			tree.Expand(th)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					tree.Refresh()
					for _, th := range tree.Threads() {
						kids, _ := tree.Children(ctx, th)
						for _, k := range kids {
							tree.Children(ctx, k)
							tree.CountChildren(ctx, k, 0)
							tree.Reveal(ctx, Position{Thread: k.Thread(), At: k.Position().At + 1})
						}
					}
					r.Print(ctx, new(countWriter), PrintOptions{Folded: true}, PrintRange{})
					if st := r.Status(); st.Epoch > 0 && st.Phase == PhaseReady {
						return
					}
				}
			})
		}
		wg.Wait()
		if st := r.Status(); st.Epoch != 1 || st.IndexReason == nil {
			t.Fatalf("status %+v", st)
		}
		tree.Refresh()
		for _, th := range tree.Threads() {
			if !tree.IsExpanded(th) {
				t.Errorf("thread %d was closed", th.Thread())
			}
		}
		formattest.SameText(t, []byte(treeText(t, tree, ways(t, tree)["all"])), []byte(want))
		if !noWrite {
			got, err := os.ReadFile(path + ".idx")
			if err != nil || !bytes.Equal(got, good) {
				t.Errorf("the index was not replaced by the right one: %v", err)
			}
			onlyFiles(t, filepath.Dir(path), name, name+".idx")
		}
	}
}

// noMoreGoroutines waits until there are no more goroutines than before: a goroutine that
// has announced its end may not have been removed yet.
func noMoreGoroutines(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// TestCloseLeavesNothing closes readers in the middle of all kinds of work.
func TestCloseLeavesNothing(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 30_000, Seed: 6})
	alone := withoutIndex(t, path)
	before := runtime.NumGoroutine()
	for i := range 30 {
		p := path
		if i%2 == 0 {
			p = alone
		}
		r := open(t, p, Options{})
		tree := r.Tree(true)
		th := tree.Threads()[0]
		done := make(chan struct{})
		go func() {
			defer close(done)
			tree.Children(context.Background(), th)
			r.Print(context.Background(), new(countWriter), PrintOptions{}, PrintRange{})
		}()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		<-done
		tree.Refresh()
		if _, err := tree.Children(context.Background(), th); err == nil {
			t.Error("children of a closed trace")
		}
		if err := r.Wait(context.Background()); err != nil {
			t.Error(err)
		}
		// Values handed out stay valid.
		tree.Expand(th)
		for row, ok := tree.First(); ok && !row.Gap(); row, ok = tree.Next(row) {
			tree.AppendText(nil, row.Node, true)
			row.Node.Offset()
			row.Node.Fraction()
		}
	}
	noMoreGoroutines(t, before)
	if _, err := os.Stat(alone); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(alone))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "alone.bin" && e.Name() != "alone.bin.idx" {
			t.Errorf("%s stays behind", e.Name())
		}
	}
}
