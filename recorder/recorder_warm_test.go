package recorder

import (
	"path/filepath"
	"testing"

	"tracex/recorder/internal/buffers"
)

// The chunks of the first goroutine are ready before it records: its first calls take no longer
// than others.
func TestFirstChunksAreReady(t *testing.T) {
	r := start(t, Config{Path: filepath.Join(t.TempDir(), "trace.bin"), FlushInterval: -1})
	if r.live == nil {
		t.Skip("there are no live files here")
	}
	ready := r.pool.Usage().Free
	if want := r.pool.Cost(buffers.First) + r.pool.Cost(4*buffers.First); ready != want {
		t.Fatalf("%d bytes of chunks are ready, want %d", ready, want)
	}
	th, m := r.Thread("main"), r.Method(r.Class("C"), "m", Type{})
	for n := range 3 * buffers.First / 40 { // enough to use the second one
		th.Call(m, 0, Null(), Int(n)).End()
	}
	u := r.pool.Usage()
	if c := th.chunk.Load(); !c.IsLive() || len(c.Data) != 4*buffers.First || u.Used-u.Reserved != ready {
		t.Errorf("a chunk of %d bytes, and %d bytes of chunks, want %d", len(c.Data), u.Used-u.Reserved, ready)
	}
}
