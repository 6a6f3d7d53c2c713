//go:build linux

package recordtest_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"tracex/recorder/instrument/raw"
)

// TestFirstCall: the first call of a recording begins after the recorder has made room for it, which takes long.
func TestFirstCall(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	dir := t.TempDir()
	must(t, run(t, "", []string{"TRACEX_RECORD=" + dir}, recording, "calls", "1"))
	files, err := filepath.Glob(filepath.Join(dir, "*"+raw.Suffix))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	f, err := raw.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if f.Head.Clock != raw.ClockCounter {
		t.Skip("the processor's counter is not steady: that of the first chunk tells no time")
	}
	le := binary.LittleEndian
	chunks := f.Chunks(f.Window(1 << 10))
	for {
		chunk, ok, err := chunks.Next(0)
		if err != nil || !ok {
			t.Fatalf("no chunk of events: %v", err)
		}
		if chunk.Kind != raw.ChunkEvents {
			continue
		}
		// It begins with the goroutine, and then the call.
		events := data[chunk.Offset+raw.ChunkHead:]
		call := events[8+raw.GoroutineSize:]
		if le.Uint32(events) != raw.EventGoroutine || le.Uint32(call)&(1<<raw.EventBits-1) != raw.EventEnter {
			t.Fatalf("the first events are %x and %x", events[:8+raw.GoroutineSize], call[:8])
		}
		begun := le.Uint64(events[raw.GoroutineSize:]) + uint64(le.Uint32(call[4:]))
		if ready := chunk.Counter + uint64(chunk.Later); begun < ready {
			t.Errorf("the call begins %d counts before there was room for it", ready-begun)
		}
		return
	}
}
