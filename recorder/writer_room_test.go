package recorder

import (
	"path/filepath"
	"runtime"
	"testing"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// answered waits until the recorder's goroutine has handled the thread's request.
func answered(t *Thread) {
	for t.wants.Load() > 0 {
		runtime.Gosched()
	}
}

// More goroutines than there is memory for take turns, each keeping a partly filled buffer. No
// timer takes it away; still each of them can record, with Stall at once, and with Drop as soon
// as the recorder's goroutine has run.
func TestNobodyStarves(t *testing.T) { versiontest.EachVersion(t, testNobodyStarves) }

func testNobodyStarves(t *testing.T) {
	const goroutines, rounds = 300, 10
	for _, full := range []Policy{Stall, Drop} {
		c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), OnFull: full, BlockSize: 1 << 10, MaxMemory: 700 << 10, FlushInterval: -1}
		r := start(t, c)
		m := r.Method(r.Class("C"), "m", Type{})
		var threads []*Thread
		for range goroutines {
			threads = append(threads, r.Thread("one of many"))
		}
		if room := r.pool.Left() / r.pool.Cost(buffers.First); room >= goroutines {
			t.Fatalf("there is memory for %d goroutines", room)
		}
		made := int64(0)
		for round := range rounds {
			for i, th := range threads {
				for try := 0; ; try++ {
					before := r.counts.dropped.Load()
					th.Enter(m, 0, Null(), Int(i))
					th.Exit(Void())
					made++
					if r.counts.dropped.Load() == before {
						break
					}
					if full == Stall || try == 2 {
						t.Fatalf("%v: in round %d, goroutine %d cannot record", full, round, i)
					}
					answered(th)
				}
			}
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		tracetest.LoadChecked(t, c.Path)
		saved, _ := r.Flush()
		if present, missing := noted(t, c.Path); missing != saved.Dropped || present+missing != made || present != goroutines*rounds {
			t.Errorf("%v: %d points, %d noted as missing, %d counted, %d made", full, present, missing, saved.Dropped, made)
		}
	}
}

// A goroutine that has a buffer needs no other one to continue, however little memory the
// others leave.
func TestFullBufferGoesOn(t *testing.T) {
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), OnFull: Drop, BlockSize: 4 << 10, MaxMemory: 256 << 10, FlushInterval: -1}
	r := start(t, c)
	m := r.Method(r.Class("C"), "m", Type{})
	th := r.Thread("busy")
	made := 0
	call := func() {
		th.Enter(m, 0, Null(), Int(made))
		th.Exit(Void())
		made++
	}
	call()
	own := th.chunk.Load()
	for r.pool.Get(buffers.First) != nil {
	} // by goroutines that never end
	drops := 0
	for made < 1000 {
		before := r.counts.dropped.Load()
		call()
		if n := r.counts.dropped.Load(); n > before {
			drops++
			answered(th)
		}
	}
	if th.chunk.Load() != own || drops == 0 || drops > 1000/20 {
		t.Errorf("%d calls of %d were dropped", drops, made)
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	last, n := int64(-1), 0
	tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(_ *eager.Thread, p *format.Point, _ int) {
		if p.Class == format.ClassCall {
			if p.Args[0].Bits <= last {
				t.Fatalf("call %d follows call %d", p.Args[0].Bits, last)
			}
			last, n = p.Args[0].Bits, n+1
		}
	})
	if n+drops != made {
		t.Errorf("%d calls, %d were dropped, %d made", n, drops, made)
	}
}

// A goroutine that drops yields the processor to the recorder's goroutine, which makes room for
// it: so it stops dropping by itself.
func TestDroppingYields(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := start(t, Config{OnFull: Drop, BlockSize: 1 << 10, MaxMemory: leastBytes, FlushInterval: -1, create: toDiscard})
	m := r.Method(r.Class("C"), "m", Type{})
	th := r.Thread("busy")
	th.Enter(m, 0, Null())
	th.Exit(Void())
	for r.pool.Get(buffers.First) != nil {
	} // by goroutines that never end
	runs, dropping := 0, false
	const calls = 400_000
	for range calls {
		before := r.counts.dropped.Load()
		th.Enter(m, 0, Null())
		th.Exit(Void())
		was := dropping
		if dropping = r.counts.dropped.Load() > before; was && !dropping {
			runs++
		}
	}
	// One turn is mostly enough. If it stopped dropping only when preempted, that would happen
	// a few times at most.
	if runs < calls/dropsPerTurn/10 {
		t.Errorf("in %d calls, room was made %d times", calls, runs)
	}
}
