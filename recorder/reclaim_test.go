package recorder

import (
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/recorder/internal/tracetest"
)

// Chunks may be taken away, again and again, from a goroutine that is recording into them:
// nothing is lost, duplicated, or out of order.
func TestTakenAway(t *testing.T) {
	enough, most := int64(3000), 300_000
	if !formattest.Exhaustive() || formattest.Race {
		enough, most = 300, 10_000
	}
	for _, c := range []Config{
		{BlockSize: 1 << 10},
		{BlockSize: 1 << 10, plain: true},
		{BlockSize: 64 << 10, NoTimes: true},
	} {
		c.Path, c.FlushInterval = filepath.Join(t.TempDir(), "trace.bin"), -1
		r := start(t, c)
		th := r.Thread("robbed")
		var taken atomic.Int64
		var over atomic.Bool
		var calls int
		var group sync.WaitGroup
		group.Go(func() {
			m, v := r.Method(r.Class("C"), "m", Type{}), r.Variable("v", Type{})
			for ; calls < most && taken.Load() < enough || taken.Load() == 0; calls++ {
				th.Enter(m, 0, Null(), Int(calls))
				th.WriteVariable(v, 0, Int(calls))
				th.Exit(Int(calls))
			}
			over.Store(true)
		})
		for ended := false; !ended; ended = over.Load() {
			if th.mu.TryLock() && r.take(&th.buffer) > 0 {
				taken.Add(1)
			}
			runtime.Gosched()
		}
		group.Wait()
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		i := 0
		tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(_ *eager.Thread, p *format.Point, depth int) {
			if call := p.Class == format.ClassCall; depth != i%2 || call != (i%2 == 0) ||
				call && p.Args[0].Bits != int64(i/2) || !call && p.Value.Bits != int64(i/2) {
				t.Fatalf("point %d is %+v, %d deep; %d chunks were taken", i, p, depth, taken.Load())
			}
			i++
		})
		if saved, _ := r.Flush(); i != 2*calls || saved.Dropped != 0 {
			t.Fatalf("%d points, want %d; %d dropped", i, 2*calls, saved.Dropped)
		}
	}
}
