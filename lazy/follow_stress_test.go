package lazy

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/internal/trace"
)

// TestFollowWhileRead: other goroutines read trees, search and query while the file
// grows, is cut short and replaced. They may get errors for stale data, but none
// panics, and in the end all see the current contents.
func TestFollowWhileRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mapped files cannot be removed or cut short there")
	}
	spec := formattest.Spec{Shape: formattest.Random, N: 2000, Seed: 7, Threads: 3}
	spec.BlockSize = 1 << 10
	data, _ := formattest.Bytes(t, spec)
	path := filepath.Join(t.TempDir(), "trace.bin")
	w := write(t, path, data)
	w.to(len(data) / 10)
	r := followed(t, path, Options{NoWrite: true, Memory: 256 << 10})
	ctx, cancel := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	read := func(f func(rng *rand.Rand) error) {
		readers.Go(func() {
			for rng := rand.New(rand.NewPCG(1, 2)); ctx.Err() == nil; {
				if err := f(rng); errors.Is(err, trace.ErrClosed) {
					t.Error(err)
				}
			}
		})
	}
	for _, folded := range []bool{false, true} {
		tree := r.Tree(folded)
		read(func(*rand.Rand) error {
			tree.Refresh()
			for _, n := range walkAllOrStale(tree) {
				tree.AppendText(nil, n, true)
				n.Fraction()
				n.Count()
			}
			return nil
		})
		read(func(rng *rand.Rand) error {
			for _, th := range r.Threads() {
				p, err := r.FindFraction(th.ID, rng.Float64())
				if err != nil {
					return err
				}
				n, err := tree.Reveal(ctx, p)
				if err != nil {
					return err
				}
				if _, _, err := tree.CountChildren(ctx, n, 0); err != nil {
					return err
				}
			}
			return nil
		})
	}
	read(func(*rand.Rand) error {
		return r.Search(ctx, Search{Find: func([]byte) (int, int) { return -1, -1 }}, func(Found) {})
	})
	rng := rand.New(rand.NewPCG(3, 4))
	changes := 12
	if formattest.Exhaustive() && !formattest.Race {
		changes = 40
	}
	for range changes {
		switch n := rng.IntN(10); {
		case n == 0:
			w.size = rng.IntN(w.size + 1)
			if err := w.f.Truncate(int64(w.size)); err != nil {
				t.Error(err)
			}
			if _, err := w.f.Seek(int64(w.size), 0); err != nil {
				t.Error(err)
			}
		case n == 1:
			os.Remove(path)
			w = write(t, path, data)
		default:
			w.to(min(w.size+rng.IntN(len(data)/20), len(data)-1))
		}
		catchUp(t, r)
	}
	w.to(len(data))
	catchUp(t, r)
	st := catchUp(t, r)
	cancel()
	readers.Wait()
	if st.Phase != PhaseReady || st.Growth.On || st.Problem != nil {
		t.Fatalf("status %+v", st)
	}
	shows(t, r, data)
}
