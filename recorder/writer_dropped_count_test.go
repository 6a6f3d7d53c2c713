package recorder

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// noted counts the trace points of a trace, and how many are missing according to its notes.
// The trace may lack its end.
func noted(t *testing.T, path string) (present, missing int64) {
	t.Helper()
	forest := tracetest.LoadDamaged(t, path)
	tracetest.Points(t, forest, func(_ *eager.Thread, p *format.Point, _ int) {
		if p.Class == format.ClassVariableWrite && forest.Context.Variable(p.Ref).Name == DroppedVariable {
			missing += p.Value.Bits
			return
		}
		present++
	})
	return present, missing
}

// wasteful are configs with which points are dropped.
func wasteful() []Config {
	return []Config{
		{OnFull: Drop, BlockSize: 1 << 10, MaxMemory: 256 << 10, FlushInterval: -1},
		{OnFull: Drop, BlockSize: 1 << 10, MaxMemory: 256 << 10, FlushInterval: time.Millisecond},
		{OnFull: Drop, BlockSize: 1 << 10, MaxMemory: 256 << 10, NoTimes: true},
		{Strategy: CollectAndDump, BlockSize: 1 << 10, MaxMemory: 256 << 10},
		{BlockSize: 1 << 10, MaxMemory: 256 << 10, events: eventIDs - 5000}, // ids run out
	}
}

// Whatever is dropped, and for whatever reason, the trace has the exact number.
func TestDroppedIsNoted(t *testing.T) { versiontest.EachVersion(t, testDroppedIsNoted) }

func testDroppedIsNoted(t *testing.T) {
	for i, c := range wasteful() {
		for _, ending := range []bool{false, true} {
			t.Run(fmt.Sprintf("config=%d/ending=%v", i, ending), func(t *testing.T) {
				c.Path = filepath.Join(t.TempDir(), "trace.bin")
				c.OnError = func(error) {}
				r := start(t, c)
				m, v := r.Method(r.Class("C"), "m", Type{}), r.Variable("v", Type{})
				var group sync.WaitGroup
				var mu sync.Mutex
				made := int64(0)
				for g := range 40 {
					th := r.Thread("one")
					if th == nil {
						continue
					}
					group.Go(func() {
						n := int64(0)
						for i := range 500 {
							th.Enter(m, 0, Null(), Int(i))
							for range i % 5 {
								th.Loop(0)
								th.Iteration(0)
								th.WriteVariable(v, 0, Int(i))
								n += 3
							}
							if i%7 != g%7 {
								th.Exit(Void())
							}
							n++
						}
						if ending {
							th.End()
						}
						mu.Lock()
						made += n
						mu.Unlock()
					})
				}
				group.Wait()
				saved, _ := r.Flush()
				if c.Strategy != CollectAndDump { // as if the program ended here
					if present, missing := noted(t, c.Path); missing != saved.Dropped || present+missing != made {
						t.Errorf("after Flush: %d points, %d noted as missing, %d counted, %d made", present, missing, saved.Dropped, made)
					}
				}
				_ = r.Stop()
				tracetest.LoadChecked(t, c.Path)
				saved, _ = r.Flush()
				if present, missing := noted(t, c.Path); missing != saved.Dropped || present+missing != made || missing == 0 {
					t.Errorf("%d points, %d noted as missing, %d counted, %d made", present, missing, saved.Dropped, made)
				}
			})
		}
	}
}

// leaveChunks takes all memory for chunks except that of a few, as goroutines that never end
// would.
func leaveChunks(r *Recorder, few int) {
	var taken []*buffers.Chunk
	for c := r.pool.Get(buffers.First); c != nil; c = r.pool.Get(buffers.First) {
		taken = append(taken, c)
	}
	for _, c := range taken[:few] {
		r.pool.Put(c)
	}
}

// The same while others flush and stop the recording: the tally is what the notes add up to.
func TestDroppedIsNotedAtStop(t *testing.T) {
	for i, c := range wasteful() {
		t.Run(fmt.Sprint("config=", i), func(t *testing.T) {
			c.Path = filepath.Join(t.TempDir(), "trace.bin")
			c.OnError = func(error) {}
			r := start(t, c)
			m := r.Method(r.Class("C"), "m", Type{})
			if c.OnFull == Drop {
				leaveChunks(r, 3) // otherwise little is dropped while the recorder keeps up
			}
			var group sync.WaitGroup
			for range 8 {
				group.Go(func() {
					th := r.Thread("one")
					for i := 0; r.state.Load() == running; i++ {
						th.Enter(m, 0, Null(), Int(i))
						if i%100 > 0 {
							th.Exit(Void())
						}
					}
				})
			}
			for n := int64(0); n < 1000; n = r.counts.dropped.Load() {
				_, _ = r.Flush()
			}
			_ = r.Stop()
			saved, _ := r.Flush() // others may be in the middle of a point
			group.Wait()
			if again, _ := r.Flush(); again != saved {
				t.Errorf("saved %+v, then %+v", saved, again)
			}
			tracetest.LoadChecked(t, c.Path)
			if _, missing := noted(t, c.Path); missing != saved.Dropped || missing == 0 {
				t.Errorf("%d noted as missing, %d counted", missing, saved.Dropped)
			}
		})
	}
}
