package recorder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/shared/sharedtest"
)

// A thread may publish nonsense, as when two goroutines share it: the program continues, and
// what was written before can be read.
func TestNonsense(t *testing.T) { versiontest.EachVersion(t, testNonsense) }

func testNonsense(t *testing.T) {
	var told []error
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), FlushInterval: -1, OnError: func(err error) { told = append(told, err) }}
	r := start(t, c)
	m := r.Method(r.Class("C"), "m", Type{})
	good, bad := r.Thread("good"), r.Thread("bad")
	good.Enter(m, 0, Null())
	good.Exit(Void())
	if _, err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	bad.Enter(m, 0, Null())
	bad.chunk.Load().Marks[0].Range = buffers.FooterAt(0, 1)
	if _, err := r.Flush(); !errors.Is(err, ErrShared) {
		t.Fatalf("Flush: %v", err)
	}
	good.Enter(m, 0, Null())
	bad.Enter(m, 0, Null())
	good.Exit(Void())
	saved, err := r.Flush()
	if !errors.Is(err, ErrShared) || saved.Misuse != (Misuse{Shared: 1}) {
		t.Errorf("Flush: %+v, %v", saved, err)
	}
	if err := r.Stop(); !errors.Is(err, ErrShared) || len(told) != 1 {
		t.Fatalf("Stop: %v, told %v", err, told)
	}
	n := 0
	tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(*eager.Thread, *format.Point, int) { n++ })
	if n != 2 {
		t.Fatalf("%d calls, want 2", n)
	}
}

// findOut does what a goroutine does that records while another one is in the middle of a
// point.
func findOut(th *Thread) {
	th.bytes = writing
	th.Catch(Null(), 0)
}

// The data that a thread had published before its misuse was detected is kept, and ended.
func TestQuarantineKeepsWhatMakesSense(t *testing.T) {
	versiontest.EachVersion(t, testQuarantineKeepsWhatMakesSense)
}

func testQuarantineKeepsWhatMakesSense(t *testing.T) {
	for i, c := range ways() {
		c.Path = filepath.Join(t.TempDir(), "trace.bin")
		c.OnError = func(error) {}
		r := start(t, c)
		class := r.Class("C")
		m, v := r.Method(class, "m", Type{}), r.Variable("v", Type{})
		bad, good := r.Thread("bad"), r.Thread("good")
		const calls = 100
		for n := range calls {
			bad.Enter(m, 0, Null(), Int(n))
			good.Enter(m, 0, Null(), Int(n))
			bad.Loop(0)
			bad.Iteration(0)
			if n == calls/2 {
				_, _ = r.Flush()
			}
		}
		findOut(bad)
		bad.WriteVariable(v, 0, Int(2))
		for range calls {
			bad.Exit(Void())
			good.Exit(Void())
		}
		saved, _ := r.Flush()
		if err := r.Stop(); !errors.Is(err, ErrShared) || saved.Misuse != (Misuse{Shared: 1}) {
			t.Errorf("way %d: Stop: %v, counted %+v", i, err, saved.Misuse)
		}
		n := map[string]int{}
		tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(thread *eager.Thread, _ *format.Point, _ int) { n[thread.Name]++ })
		if n["good"] != calls || n["bad"] != 3*calls {
			t.Errorf("way %d: recorded %v", i, n)
		}
	}
}

// hammer records all kinds of things until the recording ends.
func hammer(r *Recorder, th *Thread) {
	class := r.Class("C")
	m, v := r.Method(class, "m", Type{}), r.Variable("v", Type{})
	for r.on() && !th.nonsense.Load() {
		th.Enter(m, 0, Null(), Int(1), String("text"))
		call := th.Call(m, 0, Null())
		th.Loop(0)
		th.Iteration(0)
		th.WriteVariable(v, 0, Object(class, 7))
		th.Enter(m, 0, Null())
		th.Panic("errors.errorString")
		th.Iteration(0)
		th.EndLoop()
		call.End()
		th.Exit(Void())
		th.Exit(Void()) // perhaps without a call
	}
}

// Goroutines that share a thread end the recording of that thread, but neither the program nor
// the recording.
func TestSharedThread(t *testing.T) { versiontest.EachVersion(t, testSharedThread) }

func testSharedThread(t *testing.T) {
	if formattest.Race {
		t.Skip("it is a race")
	}
	for i, c := range ways() {
		for _, ending := range []bool{false, true} {
			t.Run(fmt.Sprintf("way=%d/ending=%v", i, ending), func(t *testing.T) {
				c.Path = filepath.Join(t.TempDir(), "trace.bin")
				c.OnError = func(error) {}
				r := start(t, c)
				th, good := r.Thread("shared"), r.Thread("good")
				good.Enter(0, 0, Null())
				good.Exit(Void())
				if _, err := r.Flush(); err != nil {
					t.Fatal(err)
				}
				var group sync.WaitGroup
				for range 3 {
					group.Go(func() { hammer(r, th) })
				}
				if ending { // while the others record
					_, _ = r.Flush()
					th.End()
					_ = r.Stop()
				}
				group.Wait()
				good.Enter(0, 0, Null())
				good.Exit(Void())
				if err := r.Stop(); !ending && !errors.Is(err, ErrShared) && !errors.Is(err, ErrMemory) {
					t.Errorf("Stop: %v", err)
				}
				if c.Strategy == CollectAndDump && !ending {
					n := 0
					tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(thread *eager.Thread, _ *format.Point, _ int) {
						if thread.Name == "good" {
							n++
						}
					})
					if n != 2 {
						t.Errorf("%d points, want the good thread's 2", n)
					}
					return
				}
				f, err := os.Open(c.Path)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				// What the goroutines did before the detection may or may not make sense; it
				// must be loadable.
				if _, err := eager.Load(f); err != nil {
					t.Log(err)
				}
			})
		}
	}
}

// A second goroutine is detected while the first one is in the middle of a point, on the fast
// path and on the slow one.
func TestSharedThreadIsFoundOut(t *testing.T) {
	for _, slow := range []bool{false, true} {
		c := Config{OnError: func(error) {}}
		r := start(t, c)
		th := r.Thread("shared")
		m := r.Method(r.Class("C"), "m", Type{})
		th.Enter(m, 0, Null())
		if th.slow = slow; !slow {
			th.bytes = writing
		} else {
			th.limit = th.next // so that more ids are needed
		}
		th.Enter(m, 0, Null())
		if err := r.Stop(); !errors.Is(err, ErrShared) || !strings.Contains(err.Error(), "shared") {
			t.Errorf("slow %v: %v", slow, err)
		}
	}
}

// Stop ends a recording through shared memory even after nonsense: its connection is closed.
func TestNonsenseLeavesNoConnection(t *testing.T) {
	t.Setenv(ipc.ProducerVariable, filepath.Join(ipctest.Directory(t), "nobody"))
	for _, events := range []bool{false, true} {
		r := start(t, Config{Strategy: SharedMemory, TrackEvents: events, OnFull: Drop, OnError: func(error) {}})
		r.quarantine(&r.Thread("bad").buffer, errTwice)
		if err := r.Stop(); err == nil {
			t.Error("Stop says nothing")
		}
		p := r.sink.(*serviceSink).to.(interface{ Producer() *producer.Producer }).Producer()
		if _, err := p.Register(producer.DataSourceSpec{Name: "another"}); !errors.Is(err, producer.ErrClosed) {
			t.Errorf("track events: %v: the producer is there: %v", events, err)
		}
	}
}

// In shared memory too, a thread used by several goroutines ends, and no other: what it had
// recorded is kept, and others continue.
func TestQuarantineInSharedMemory(t *testing.T) {
	versiontest.EachVersion(t, testQuarantineInSharedMemory)
}

func testQuarantineInSharedMemory(t *testing.T) {
	g := sharedtest.Start(t, calls.Source, 4<<10)
	r, err := Start(Config{OnError: func(error) {}})
	if err != nil {
		t.Fatal(err)
	}
	m := r.Method(r.Class("C"), "m", Type{})
	bad, good := r.Thread("bad"), r.Thread("good")
	for range 10 {
		bad.Enter(m, 0, Null())
		good.Enter(m, 0, Null())
		bad.Loop(0)
	}
	findOut(bad)
	bad.Enter(m, 0, Null())
	good.Enter(m, 0, Null())
	good.Exit(Void())
	saved, _ := r.Flush()
	if err := r.Stop(); !errors.Is(err, ErrShared) || saved.Misuse != (Misuse{Shared: 1}) {
		t.Errorf("Stop: %v, counted %+v", err, saved.Misuse)
	}
	path, result := sharedtest.Convert(t, g.Finish())
	if len(result.LeftOut) > 0 {
		t.Errorf("left out: %+v", result.LeftOut)
	}
	forest := tracetest.Load(t, path)
	tracetest.Verify(t, path, forest)
	n := map[string]int{}
	tracetest.Points(t, forest, func(thread *eager.Thread, _ *format.Point, _ int) { n[thread.Name]++ })
	if n["good"] != 11 || n["bad"] != 20 {
		t.Errorf("recorded %v", n)
	}
}
