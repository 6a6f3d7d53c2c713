package recorder

import (
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
)

// refuse makes the system refuse fences from now on, until the test ends. It
// returns how many were asked for.
func refuse(t *testing.T) (asked *int) {
	t.Helper()
	if !hasFence() {
		t.Skip("chunks are published by atomic stores here")
	}
	was := membarrier
	asked = new(int)
	membarrier = func(uintptr) bool { *asked++; return false }
	t.Cleanup(func() {
		membarrier = was
		fenceRefused.Store(false)
	})
	return asked
}

// A program may forbid itself the system call that fences need, after it has
// begun to record: chunks that need a fence get one all the same, the next ones do
// not need it, and nothing is lost or said.
func TestFenceRefused(t *testing.T) {
	asked := refuse(t)
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), BlockSize: 1 << 10, FlushInterval: -1}
	r := start(t, c) // it believes in fences
	th := r.Thread("main")
	m := r.Method(r.Class("C"), "m", Type{})
	const calls = 200
	for i := range calls {
		th.Enter(m, 0, Null(), Int(i))
		if c := th.chunk.Load(); c.relaxed != (i == 0) {
			t.Fatalf("call %d: a chunk that needs a fence: %v", i, c.relaxed)
		}
		if i%20 == 0 {
			if th.mu.Lock(); r.take(th) == 0 {
				t.Fatal("there was nothing to take")
			}
		}
		th.Exit(Void())
	}
	if *asked != 1 {
		t.Errorf("the system was asked %d times", *asked)
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	if saved, err := r.Flush(); err != nil || saved.Dropped != 0 {
		t.Fatalf("%+v, %v", saved, err)
	}
	if n := loaded(t, c.Path).Threads[0].Points(); n != calls {
		t.Fatalf("%d calls, want %d", n, calls)
	}
}

// A fence that is refused is one all the same: of two who each store and then look
// at what the other one stores, one sees it.
func TestRefusedFenceIsOne(t *testing.T) {
	refuse(t)
	const rounds = 2000
	type line struct { // of a cache
		atomic.Uint64
		_ [120]byte
	}
	var lines [4]line
	published, taken, at, seen := &lines[0].Uint64, &lines[1].Uint64, &lines[2].Uint64, &lines[3].Uint64
	ready := func(a *atomic.Uint64, n uint64) {
		for i := 0; a.Load() < n; i++ {
			if i > 1000 {
				runtime.Gosched() // the other one needs a processor, too
			}
		}
	}
	var owner [rounds + 1]bool
	go func() {
		for n := uint64(1); n <= rounds; n++ {
			ready(at, n)
			release(published, n)
			owner[n] = taken.Load() == n
			seen.Store(n)
		}
	}()
	for n := uint64(1); n <= rounds; n++ {
		at.Store(n)
		for range n % 100 { // to meet the other one's stores at all points
			taken.Load()
		}
		taken.Store(n)
		fence()
		flusher := published.Load() == n
		ready(seen, n)
		if !flusher && !owner[n] {
			t.Fatalf("round %d: neither saw what the other one did", n)
		}
	}
}
