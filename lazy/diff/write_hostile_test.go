package diff

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// Damaged traces are compared and written as far as they are intact, or are an error, but never a panic.
func TestWriteDamaged(t *testing.T) {
	wrote, failed, seeds := 0, 0, uint64(150)
	if formattest.Race {
		seeds = 20
	}
	for _, v := range []format.Version{format.V22, format.V27} {
		spec := formattest.Spec{Shape: formattest.Random, N: 120, Seed: 3, Options: formattest.Options{Version: v, BlockSize: 2048}}
		whole := opened(t, formattest.File(t, spec))
		for seed := range seeds {
			r := rand.New(rand.NewPCG(seed, uint64(v)))
			path := formattest.File(t, spec)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for range 1 + r.IntN(3) {
				b[format.HeaderSize+r.IntN(len(b)-format.HeaderSize)] ^= 1 << r.IntN(8)
			}
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			if writeDamaged(t, path, whole, seed%2 == 0) {
				wrote++
			} else {
				failed++
			}
		}
	}
	if wrote == 0 || failed == 0 && !formattest.Race { // few damages make a diff impossible
		t.Errorf("%d diffs were written, %d were not", wrote, failed)
	}
}

// writeDamaged writes the diff of a damaged trace and a whole one, and reports whether that was done. If so, the result
// can be read.
func writeDamaged(t *testing.T, path string, whole *lazy.LazyTraceReader, left bool) bool {
	t.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		return false
	}
	defer r.Close()
	if r.Wait(t.Context()) != nil {
		return false
	}
	a, b := whole, r
	if left {
		a, b = b, a
	}
	d := New(a, b, Options{})
	defer d.Close()
	if d.Run(t.Context(), nil) != nil {
		return false
	}
	out, pairs, err := d.Open(t.Context(), nil)
	if err != nil {
		return false
	}
	defer pairs.Close()
	defer out.Close()
	if s := out.Status(); s.Problem != nil || s.Index != lazy.IndexRecorded {
		t.Errorf("problem %v, index %v", s.Problem, s.IndexReason)
	}
	// What is damaged in an equal row is decoded for the full form alone.
	if d.Pack(t.Context(), filepath.Join(t.TempDir(), "diff.packedtrace"), PackOptions{Mode: 0o600}, nil) != nil {
		return false
	}
	full, _, _ := writtenFull(t, d.input())
	if s := full.Status(); s.Problem != nil || s.Index != lazy.IndexRecorded {
		t.Errorf("in full: problem %v, index %v", s.Problem, s.IndexReason)
	}
	return true
}
