package interop

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"tracex/recorder"
	"tracex/recorder/recordertest"
)

// The real reader loads the trace that our recorder writes of a program with many
// goroutines, accepts its index, and prints the same text as we do.
func TestReferenceReadsRecorder(t *testing.T) { eachReference(t, testReadsRecorder) }

func testReadsRecorder(t *testing.T, r *reference) {
	configs := map[string]recorder.Config{
		"streaming": {Strategy: recorder.Streaming, BlockSize: 16 << 10},
		"tiny":      {Strategy: recorder.Streaming, BlockSize: 1 << 10, MaxMemory: 1 << 20, FlushInterval: time.Millisecond},
		"dump":      {Strategy: recorder.CollectAndDump},
		// Omissions are recorded, also at the ends of threads.
		"dropping": {Strategy: recorder.Streaming, OnFull: recorder.Drop, BlockSize: 1 << 10, MaxMemory: 256 << 10, FlushInterval: -1},
		"full":     {Strategy: recorder.CollectAndDump, BlockSize: 1 << 10, MaxMemory: 256 << 10},
	}
	for name, config := range configs {
		for seed, goroutines := range []int{1, 3, 64} {
			t.Run(fmt.Sprintf("%s/goroutines=%d", name, goroutines), func(t *testing.T) {
				config.FormatVersion = int(r.release.version)
				config.Path = filepath.Join(t.TempDir(), "trace.bin")
				rec, err := recorder.Start(config)
				if err != nil {
					t.Fatal(err)
				}
				recordertest.Program{Seed: uint64(seed), Goroutines: goroutines, Steps: 3000 / goroutines,
					Flushes: name == "streaming", LeaveOpen: seed == 1}.Run(rec)
				if err := rec.Stop(); err != nil && !errors.Is(err, recorder.ErrMemory) {
					t.Fatal(err)
				}
				if saved, _ := rec.Flush(); name == "full" && saved.Dropped == 0 && goroutines > 1 {
					t.Error("nothing was left out")
				}
				sameAsReference(t, r, config.Path)
			})
		}
	}
}
