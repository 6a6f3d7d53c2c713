package recorder

import (
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// yieldUntil yields to other goroutines until a condition holds.
func yieldUntil(so func() bool) {
	for !so() {
		runtime.Gosched()
	}
}

// While an owed footer is written, its buffer may be taken away, with no other available: the
// footer is owed again, and precedes those of the containers around it, even if there is memory
// an instant later.
func TestOwedAgain(t *testing.T) { versiontest.EachVersion(t, testOwedAgain) }

func testOwedAgain(t *testing.T) {
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), OnFull: Drop, BlockSize: 1 << 10, MaxMemory: 256 << 10, FlushInterval: -1}
	r := start(t, c)
	m, v := r.Method(r.Class("C"), "m", Type{}), r.Variable("v", Type{})
	th, other := r.Thread("owing"), r.Thread("other")
	other.mu.Lock() // the recorder's goroutine waits
	r.later(&other.buffer)
	yieldUntil(func() bool { return !other.due.Load() })

	th.Enter(m, 0, Null())
	th.Enter(m, 0, Null(), Int(1))
	th.Loop(0)
	var memory []*buffers.Chunk
	for c := r.pool.Get(buffers.First); c != nil; c = r.pool.Get(buffers.First) {
		memory = append(memory, c)
	}
	made := int64(3)
	for r.counts.dropped.Load() == 0 {
		th.ReadVariable(v, 0, Null())
		made++
	}
	th.Exit(Void())
	if th.owed != 2 {
		t.Fatalf("%d footers are owed", th.owed)
	}
	ended := th.open.first
	r.due.mu.Lock()
	r.due.list = nil
	th.due.Store(false)
	th.wants.Store(0)
	r.pool.Put(memory[0])
	var group sync.WaitGroup
	group.Go(func() {
		th.Enter(m, 0, Null(), Int(2))
		th.Exit(Void())
	})
	made++
	yieldUntil(th.due.Load) // it has another buffer, and is about to write the first footer into it
	th.mu.Lock()
	r.take(&th.buffer)
	for r.pool.Get(buffers.First) != nil {
	}
	th.swap.Lock()
	r.due.mu.Unlock()
	yieldUntil(func() bool {
		r.due.mu.Lock()
		said := len(r.due.list) > 0
		if !said {
			r.due.mu.Unlock()
		}
		return said
	})
	th.due.Store(false)
	th.swap.Unlock() // now it finds that the buffer was taken away
	yieldUntil(th.due.Load)
	r.pool.Put(memory[1])
	th.wants.Store(0)
	r.due.mu.Unlock()
	group.Wait()
	if th.owed != 2 || th.open.first != ended {
		t.Errorf("%d footers are owed, %+v, want 2, %+v", th.owed, th.open.first, ended)
	}

	other.mu.Unlock()
	th.Exit(Void())
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(_ *eager.Thread, p *format.Point, depth int) {
		if p.Class == format.ClassLoop && depth != 2 || p.Class == format.ClassCall && len(p.Args) == 1 && depth != 1 {
			t.Errorf("%+v is %d deep", p, depth)
		}
	})
	saved, _ := r.Flush()
	if present, missing := noted(t, c.Path); missing != saved.Dropped || present+missing != made || missing == 0 {
		t.Errorf("%d points, %d noted as missing, %d counted, %d made", present, missing, saved.Dropped, made)
	}
}
