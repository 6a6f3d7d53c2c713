package lazy

import (
	"testing"

	"tracex/format/formattest"
)

// TestThreadsMemory bounds what an open trace keeps for each thread: its name, its place in the
// data and its cells, and what was counted; with a million threads, hundreds of bytes for each
// would not fit. A stream as a struct alone takes 100 bytes, and a name as a string 60.
func TestThreadsMemory(t *testing.T) {
	const threads = 20_000
	path := formattest.File(t, formattest.Spec{Shape: formattest.Goroutines, N: threads, Seed: 1})
	for _, c := range []struct {
		what, path string
		tally      bool
		write      bool
		most       int64 // bytes for each thread
	}{
		{"with an index", path, false, false, 60},
		{"with an index, counted", path, true, false, 70},
		{"without index", withoutIndex(t, path), false, false, 230},
		{"without index, which is made", withoutIndex(t, path), false, true, 70},
	} {
		before := inUse()
		r := ready(t, c.path, Options{NoWrite: !c.write})
		if c.tally {
			takeTally(t, r)
		}
		took := (inUse() - before) / threads
		if n, _ := r.Totals(); n != threads {
			t.Fatalf("%s: %d threads", c.what, n)
		}
		t.Logf("%s: %d bytes for each of %d threads", c.what, took, threads)
		if took < 20 || took > c.most {
			t.Errorf("%s: %d bytes for each thread, want at most %d", c.what, took, c.most)
		}
		r.Close()
	}
}
