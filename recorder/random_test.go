package recorder_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"tracex/format/formattest"
	"tracex/recorder"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/recordertest"
)

// recordings are the ways in which random programs are recorded.
func recordings(tb testing.TB, f func(name string, c recorder.Config, p recordertest.Program)) {
	steps := 6000
	if !formattest.Exhaustive() || formattest.Race {
		steps = 1000
	}
	for i, goroutines := range []int{1, 2, 7, 64} {
		for seed := range uint64(3) {
			p := recordertest.Program{Seed: seed, Goroutines: goroutines, Steps: steps / (goroutines + 3), LeaveOpen: seed == 1}
			streaming := recorder.Config{BlockSize: 1 << (10 + 4*seed), FlushInterval: -1}
			streaming.FormatVersion = []int{27, 22}[(i+int(seed))%2]
			// Little memory, but 64 threads and their stacks leave some of it to chunks.
			tiny := recorder.Config{BlockSize: 16 << 10, MaxMemory: 1 << 20, FlushInterval: time.Millisecond}
			least := recorder.Config{BlockSize: 1 << 10, MaxMemory: 1 << 20, FlushInterval: time.Millisecond}
			dump := recorder.Config{Strategy: recorder.CollectAndDump, BlockSize: 4 << 10}
			short := recorder.Config{MaxString: 7, FlushInterval: 50 * time.Microsecond}
			for _, c := range []*recorder.Config{&tiny, &least, &dump, &short} {
				c.FormatVersion = streaming.FormatVersion
			}
			flushing, shortened := p, p
			flushing.Flushes = true
			shortened.MaxString = 7
			name := fmt.Sprintf("goroutines=%d/seed=%d/version=%d/", goroutines, seed, streaming.FormatVersion)
			f(name+"streaming", streaming, p)
			f(name+"flushing", streaming, flushing)
			f(name+"little_memory", tiny, p)
			f(name+"small_blocks", least, p)
			f(name+"short_strings_and_a_timer", short, shortened)
			f(name+"dump", dump, p)
		}
	}
}

// Each of our readers finds that the trace has what was executed.
func TestRecordedIsExecuted(t *testing.T) {
	recordings(t, func(name string, c recorder.Config, p recordertest.Program) {
		t.Run(name, func(t *testing.T) {
			c.Path = filepath.Join(t.TempDir(), "trace.bin")
			r, err := recorder.Start(c)
			if err != nil {
				t.Fatal(err)
			}
			trees := p.Run(r)
			if err := r.Stop(); err != nil {
				t.Fatal(err)
			}
			forest := tracetest.Load(t, c.Path)
			recordertest.SameForest(t, forest, trees)
			tracetest.Verify(t, c.Path, forest)
		})
	})
}
