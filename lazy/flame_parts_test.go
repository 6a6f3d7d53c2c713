package lazy

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// flamesOf compares flames of all threads with what the tree has.
func flamesOf(t *testing.T, r *LazyTraceReader, random *rand.Rand) (drawn int) {
	t.Helper()
	for _, th := range r.Tree(true).Threads() {
		for _, raw := range []bool{false, true} {
			p := newPlainFlame(t, r, th, raw)
			for range 2 {
				o := FlameOptions{Thread: th.thread, Raw: raw, Columns: 1 + random.IntN(70), Depth: 1 + random.IntN(9)}
				p.check(t, r, o, nil)
			}
			drawn += len(p.nodes)
		}
	}
	return drawn
}

// TestFlameGrows: while a trace is recorded, and at its end, a flame has what the tree has.
func TestFlameGrows(t *testing.T) {
	for i, spec := range []formattest.Spec{
		{Shape: formattest.Random, Threads: 2, Seed: 71, Timed: true},
		{Shape: formattest.Calls, Seed: 72, Timed: true},
		{Shape: formattest.Deep, Seed: 73},
		{Shape: formattest.Random, Wild: true, Seed: 74, Options: formattest.Options{Version: format.V27}},
	} {
		if formattest.Race && i > 0 {
			continue
		}
		spec.N, spec.BlockSize = 200, 700
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			from := formattest.File(t, spec)
			path := filepath.Join(t.TempDir(), "trace.bin")
			write := func(part int) {
				t.Helper()
				for _, suffix := range []string{format.TimesSuffix, ""} { // durations are there before the calls
					data, err := os.ReadFile(from + suffix)
					if errors.Is(err, os.ErrNotExist) && suffix != "" {
						continue
					}
					if err == nil {
						err = os.WriteFile(path+suffix, data[:len(data)*part/5], 0o600)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			write(1)
			r := open(t, path, Options{Follow: true, NoWrite: true})
			t.Cleanup(func() { r.Close() })
			random := rand.New(rand.NewPCG(spec.Seed, 1))
			for part := 1; part <= 5; part++ {
				if write(part); part == 5 {
					index, err := os.ReadFile(from + format.IndexSuffix)
					if err == nil {
						err = os.WriteFile(path+format.IndexSuffix, index, 0o600)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if err := r.CatchUp(t.Context()); err != nil {
					t.Fatal(err)
				}
				if flamesOf(t, r, random) == 0 {
					t.Errorf("nothing is known of part %d", part)
				}
			}
		})
	}
}

// TestFlameDamaged: of a trace that is cut anywhere, or has wrong bytes, a flame has what the tree has.
func TestFlameDamaged(t *testing.T) {
	for i, spec := range []formattest.Spec{
		{Shape: formattest.Random, Threads: 2, Seed: 75, Timed: true},
		{Shape: formattest.Calls, Seed: 76},
		{Shape: formattest.Deep, Seed: 77, Timed: true},
	} {
		if formattest.Race && i > 0 {
			continue
		}
		spec.N, spec.BlockSize = 200, 700
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			from := formattest.File(t, spec)
			data, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			random, drawn := rand.New(rand.NewPCG(spec.Seed, 2)), 0
			for seed := range 8 {
				broken := append([]byte(nil), data...)
				if at := len(data)/10 + random.IntN(len(data)*9/10); seed%2 == 0 {
					broken = broken[:at]
				} else {
					broken[at] ^= byte(1 + random.IntN(255))
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
				r := waited(t, path)
				for _, th := range r.Tree(false).Threads() { // a damaged value may end the tree early
					if _, _, err := r.Tree(false).ExpandAll(t.Context(), th, 0, 1<<40, nil); err != nil {
						r = nil
						break
					}
				}
				if r != nil {
					drawn += flamesOf(t, r, random)
				}
			}
			if drawn == 0 {
				t.Error("the test shows nothing")
			}
		})
	}
}
