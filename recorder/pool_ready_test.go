package recorder

import (
	"path/filepath"
	"testing"
)

// What the first goroutine records into is ready before it does: its first calls last
// no longer than others.
func TestFirstChunksAreReady(t *testing.T) {
	r := start(t, Config{Path: filepath.Join(t.TempDir(), "trace.bin"), FlushInterval: -1})
	if r.live == nil {
		t.Skip("there are no live files here")
	}
	ready := r.pool.freed
	if want := r.pool.cost(firstChunk) + r.pool.cost(4*firstChunk); ready != want {
		t.Fatalf("%d bytes of chunks are ready, want %d", ready, want)
	}
	th, m := r.Thread("main"), r.Method(r.Class("C"), "m", Type{})
	for n := range 3 * firstChunk / 40 { // which takes the second one
		th.Call(m, 0, Null(), Int(n)).End()
	}
	if c := th.chunk.Load(); c.live == nil || len(c.data) != 4*firstChunk || r.pool.used-r.pool.reserved != ready {
		t.Errorf("a chunk of %d bytes, and %d bytes of chunks, want %d", len(c.data), r.pool.used-r.pool.reserved, ready)
	}
}
