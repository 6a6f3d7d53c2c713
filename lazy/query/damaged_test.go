package query

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// TestEveryDamaged: of a trace that is cut anywhere, or has wrong bytes, each answer is the plain calculation
// of what is whole, and the reader tells that it is damaged.
func TestEveryDamaged(t *testing.T) {
	for i, spec := range []formattest.Spec{
		{Shape: formattest.Random, Threads: 2, Seed: 3},
		{Shape: formattest.Random, Threads: 2, Seed: 4, Timed: true, Options: formattest.Options{Version: format.V27}},
		{Shape: formattest.Calls, Seed: 5, Timed: true},
		{Shape: formattest.Threads, Seed: 6, Options: formattest.Options{Version: format.V27}},
		{Shape: formattest.Goroutines, Seed: 7},
		{Shape: formattest.Deep, Seed: 8, Timed: true},
	} {
		if formattest.Race && i%3 != 1 {
			continue
		}
		spec.N, spec.BlockSize = 150, 700
		from := formattest.File(t, spec)
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(spec.Seed, 2))
			told := 0
			for seed := range uint64(20) {
				broken := append([]byte(nil), data...)
				if seed%2 == 0 {
					broken = broken[:len(data)/10+rng.IntN(len(data)*9/10)]
				} else {
					for range 1 + rng.IntN(3) {
						broken[format.HeaderSize+rng.IntN(len(data)-format.HeaderSize)] ^= byte(1 + rng.IntN(255))
					}
				}
				path := filepath.Join(t.TempDir(), "trace.bin")
				if err := os.WriteFile(path, broken, 0o600); err != nil {
					t.Fatal(err)
				}
				if times, err := os.ReadFile(from + format.TimesSuffix); err == nil {
					if err := os.WriteFile(path+format.TimesSuffix, times, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				r, err := lazy.Open(path, lazy.Options{NoWrite: true})
				if err != nil {
					t.Fatal(err)
				}
				if err := r.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				problem := r.Status().Problem
				if problem != nil {
					told++
				} else if seed%2 == 0 {
					t.Error("cut, and it does not tell")
				}
				if !walkable(t, r) {
					l := logOf(t, r, Scope{Raw: true}, `arg=7 or ret=7 or value=7 or recv=@7 or exc=X: "7"`)
					if err := l.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "damaged") {
						t.Errorf("the tree has a damaged value, a search says %v", err)
					}
					r.Close()
					continue
				}
				for _, th := range r.Threads() { // times that do not fit a damaged block are not used from when they are asked for
					r.ThreadTime(th.ID)
				}
				compareEvery(t, r, seed%3 == 0, seed)
				if now := r.Status().Problem; now != nil && problem == nil || r.Status().Epoch > 0 {
					t.Errorf("damage was found later: %v, then %v", problem, now)
				}
				r.Close()
			}
			if told < 10 {
				t.Errorf("%d of 20 traces are damaged", told)
			}
		})
	}
}

// walkable reports whether the tree shows all points of a trace. It does not show what follows a point with
// a damaged value, nor do answers that read such values.
func walkable(t *testing.T, r *lazy.LazyTraceReader) bool {
	t.Helper()
	tree := r.Tree(false)
	for _, th := range tree.Threads() {
		if _, _, err := tree.ExpandAll(t.Context(), th, 0, 1<<40, nil); err != nil {
			return false
		}
	}
	return true
}
