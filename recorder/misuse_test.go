package recorder

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/producer"
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
	bad.chunk.Load().Marks[0].Place = buffers.FooterAt(0, 1)
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

// FindOut does what a goroutine does that records while another one is in the middle of a
// point.
func FindOut(th *Thread) {
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
		FindOut(bad)
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

// ways are configs that differ in which goroutine writes what, and when.
func ways() []Config {
	return []Config{
		{}, {BlockSize: 1 << 10}, {FlushInterval: 50 * time.Microsecond}, {BlockSize: 1 << 10, MaxMemory: 256 << 10},
		{OnFull: Drop}, {OnFull: Drop, BlockSize: 1 << 10, MaxMemory: 256 << 10}, {NoTimes: true}, {plain: true},
		{Strategy: CollectAndDump}, {Strategy: CollectAndDump, BlockSize: 1 << 10},
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

// Values not made by Start or Thread do nothing.
func TestZeroValues(t *testing.T) {
	for _, r := range []*Recorder{nil, new(Recorder)} {
		class := r.Class("C")
		if r.Thread("t") != nil || r.Method(class, "m", Type{}) != 0 || r.Field(class, "f", FieldInfo{}) != 0 ||
			r.Variable("v", Type{}) != 0 || r.Location(Place{Line: 1}) != 0 || r.Path(Local(0)) != 0 || r.Caller(0) != 0 ||
			r.ClassOf(t) != 0 || r.Capture(t) != Null() {
			t.Error("something was registered")
		}
		if saved, err := r.Flush(); saved != (Saved{}) || err != nil {
			t.Errorf("Flush: %+v, %v", saved, err)
		}
		if err := errors.Join(r.Stop(), r.Dump()); err != nil {
			t.Error(err)
		}
	}
	for _, th := range []*Thread{nil, new(Thread)} {
		everything(th)
		th.End()
		everything(th)
	}
}

// everything calls all methods of a thread, in an order that makes no sense.
func everything(th *Thread) {
	for range 3 {
		th.EndLoop()
		th.Exit(Void())
		th.Iteration(0)
		th.Panic("")
		th.Enter(0, 0, Value{})
		th.Loop(0)
		th.Loop(0)
		th.EndLoop()
		th.Iteration(0)
		th.Enter(0, 0, Null(), Null(), Value{}, String(""))
		th.ReadVariable(0, 0, Value{})
		th.WriteVariable(0, 0, Void())
		th.ReadField(0, 0, Null(), Null())
		th.WriteField(0, 0, Null(), Null())
		th.ReadElement(Null(), 0, 0, Null())
		th.WriteElement(Null(), 0, 0, Null())
		th.Throw(Null(), 0)
		th.Catch(Null(), 0)
		th.Loop(0)
		th.Exit(Void())
	}
}

// Arguments that make no sense are recorded as they are, and the trace can be read.
func TestOddArguments(t *testing.T) {
	huge := strings.Repeat("漢\x00\xff", 100_000)
	for _, c := range ways() {
		c.Path, c.MaxString, c.MaxMemory = filepath.Join(t.TempDir(), "trace.bin"), math.MaxInt, 64<<20
		r := start(t, c)
		th := r.Thread(huge)
		everything(th)
		th.Enter(-5, -7, Object(-3, -3), Object(math.MinInt32, 0), String(huge), Raw(huge), TypeName(huge), Char(-1), Char(math.MaxInt32))
		th.WriteVariable(-1, math.MaxInt32, Pointer[int](99, nil))
		th.WriteField(math.MaxInt32, math.MinInt32, Uint(math.MaxUint64), Int(math.MinInt))
		th.WriteElement(Value{}, math.MaxInt, 0, Object(12345, math.MinInt32))
		th.Panic(huge)
		type16 := Type{Kind: 99, Dims: 255, Class: huge}
		class := r.Class(huge)
		th.Enter(r.Method(class, huge, type16, make([]Type, 70_000)...), 0, Null())
		th.Enter(r.Method(-1, "", Type{Kind: format.TypeObject}, type16), 0, Null())
		th.WriteField(r.Field(class, huge, FieldInfo{Type: type16}), 0, Null(), Null())
		th.WriteVariable(r.Variable(huge, type16), 0, Null())
		path := r.Path(make([]Step, 1000)...)
		th.Loop(r.Location(Place{File: huge, Class: huge, Method: huge, Line: math.MinInt, Path: path, Args: []Path{path, 77, -3}}))
		th.Iteration(r.Location(Place{Path: -5}))
		if r.Path() == 0 || r.Path(Step{}, Element(-1), ElementBy(-1)) != 0 || r.Caller(-5) < 0 || r.Caller(math.MaxInt-2) != 0 {
			t.Error("a path or a place is not what it should be")
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		n := 0
		tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(*eager.Thread, *format.Point, int) { n++ })
		if n < 30 {
			t.Errorf("%d points", n)
		}
	}
}

// All goroutines may call all methods at once, whatever happens to the recording meanwhile.
func TestEverythingAtOnce(t *testing.T) { versiontest.EachVersion(t, testEverythingAtOnce) }

func testEverythingAtOnce(t *testing.T) {
	for _, c := range ways() {
		c.Path = filepath.Join(t.TempDir(), "trace.bin")
		c.OnError = func(error) {}
		r := start(t, c)
		var group sync.WaitGroup
		var done atomic.Int64
		for g := range 6 {
			group.Go(func() {
				for i := 0; r.on(); i++ {
					th := r.Thread(fmt.Sprint("goroutine ", g))
					everything(th)
					_ = r.Capture(struct {
						a, b any
					}{r.Class(fmt.Sprint("C", i%50)), []any{g, "x", &i}})
					if i%7 == 0 {
						_, _ = r.Flush()
					}
					if i%3 == 0 {
						th.End()
					}
					if done.Add(1) == 300 {
						go func() { _ = r.Stop() }()
					}
				}
				_ = r.Stop()
			})
		}
		group.Wait()
		if err := r.Stop(); err != nil && !errors.Is(err, ErrMemory) {
			t.Fatal(err)
		}
		tracetest.LoadChecked(t, c.Path)
	}
}

// Stop ends a recording through shared memory even after nonsense: its connection is closed.
func TestNonsenseLeavesNoConnection(t *testing.T) {
	t.Setenv(ipc.ProducerVariable, filepath.Join(ipctest.Folder(t), "nobody"))
	for _, events := range []bool{false, true} {
		r := start(t, Config{Strategy: SharedMemory, TrackEvents: events, OnFull: Drop, OnError: func(error) {}})
		r.putAside(&r.Thread("bad").buffer, errTwice)
		if err := r.Stop(); err == nil {
			t.Error("Stop says nothing")
		}
		p := r.sink.(*serviceSink).to.(interface{ Producer() *producer.Producer }).Producer()
		if _, err := p.Register(producer.Source{Name: "another"}); !errors.Is(err, producer.ErrClosed) {
			t.Errorf("track events: %v: the producer is there: %v", events, err)
		}
	}
}
