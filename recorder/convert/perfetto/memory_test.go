package perfetto

import (
	"bytes"
	"testing"
)

// TestMemory converts a trace with little memory, and expects the same bytes as with
// much.
func TestMemory(t *testing.T) {
	var trace bytes.Buffer
	g := generated{threads: 5, size: 1 << 20, turn: 300, names: 400}
	if _, err := g.writeTo(&trace); err != nil {
		t.Fatal(err)
	}
	// A second writer for an existing track, from its beginning.
	late := &story{}
	late.on(99, 1002)
	for i := range uint64(2000) {
		late.instant(500+1000*i, "of another writer")
	}
	trace.Write(late.trace)
	var want *written
	for _, memory := range []int64{0, 1 << 18, 1 << 10} {
		w, err := convertBytes(t, trace.Bytes(), Options{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = w
			whole(t, w)
			continue
		}
		if !bytes.Equal(w.data, want.data) || !bytes.Equal(w.index, want.index) || !bytes.Equal(w.times, want.times) {
			t.Errorf("with %d bytes of memory the trace is another one", memory)
		}
	}
	if n := want.result.Events; n < g.pairs {
		t.Errorf("%d events of %d pairs", n, g.pairs)
	}
}

// TestBlocks has threads that take several blocks, and one block whose limit is
// reached right after a header.
func TestBlocks(t *testing.T) {
	s := simple()
	const size = 1 << 14
	n := uint64(5 * size / 2 / 31)
	for i := range n {
		s.begin(100+i, "A") // only headers
	}
	s.track(11, 0, "", ofThreadOf(1, 6, "other"))
	for i := range n {
		s.instant(100+i, "B", onTrack(11))
	}
	w, err := convertBytes(t, s.trace, Options{BlockSize: size})
	if err != nil {
		t.Fatal(err)
	}
	whole(t, w)
	one, err := convertBytes(t, s.trace, Options{})
	if err != nil {
		t.Fatal(err)
	}
	compareSlices(t, slicesIn(t, w), slicesIn(t, one))
	if n := bytes.Count(w.data, []byte("main 5")); n < 3 {
		t.Errorf("%d blocks with the name of a thread at their end", n)
	}
}
