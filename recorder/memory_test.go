package recorder

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/eager"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// A collect-and-dump recording that reaches its limit reports it, and writes what it has.
func TestMemoryRunsOut(t *testing.T) { versiontest.EachVersion(t, testMemoryRunsOut) }

func testMemoryRunsOut(t *testing.T) {
	var told atomic.Int32
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), Strategy: CollectAndDump, BlockSize: 8 << 10, MaxMemory: 256 << 10,
		OnError: func(err error) {
			if !errors.Is(err, ErrMemory) {
				panic(err)
			}
			told.Add(1)
		}}
	r := start(t, c)
	var group sync.WaitGroup
	for g := range 4 {
		th := r.Thread(fmt.Sprint("worker ", g))
		group.Go(func() {
			m := r.Method(r.Class("C"), "m", Type{})
			for i := range 10_000 {
				th.Enter(m, 0, Null(), Int(i))
				th.Exit(Int(i))
			}
		})
	}
	group.Wait()
	if err := r.Dump(); !errors.Is(err, ErrMemory) {
		t.Fatalf("Dump: %v", err)
	}
	if told.Load() != 1 {
		t.Fatalf("told %d times", told.Load())
	}
	next := make(map[*eager.Thread]int64)
	n := int64(0)
	missing := int64(0)
	tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(thread *eager.Thread, p *format.Point, _ int) {
		if p.Class == format.ClassVariableWrite {
			missing += p.Value.Bits
			return
		}
		if p.Args[0].Bits != next[thread] {
			t.Fatalf("call %d, want %d", p.Args[0].Bits, next[thread])
		}
		next[thread]++
		n++
	})
	saved, _ := r.Flush()
	if n == 0 || n+saved.Dropped != 40_000 || missing != saved.Dropped {
		t.Fatalf("%d calls are in the trace, %d were dropped, %d noted, 40000 were made", n, saved.Dropped, missing)
	}
}

// heap returns how many bytes are in use, without garbage. Memory that becomes garbage during a
// collection still counts after it, but not after several.
func heap() int64 {
	least := int64(math.MaxInt64)
	for range 4 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		least = min(least, int64(m.HeapAlloc))
	}
	return least
}

// besides is what a recorder may keep besides its MaxMemory.
const besides = 100 << 10

// counting is a data file that is not kept: what is written goes to a tally of its objects.
type counting struct {
	discard
	to *io.PipeWriter
}

func (c counting) WriteAt(p []byte, _ int64) (int, error) { return c.to.Write(p) }
func (c counting) Close() error                           { return c.to.Close() }

// A million goroutines run one after the other: nothing of them remains in memory, and
// everything is in the trace.
func TestMillionGoroutines(t *testing.T) {
	goroutines := 1_000_000
	if !formattest.Exhaustive() || formattest.Race {
		goroutines = 20_000
	}
	from, to := io.Pipe()
	calls := make(chan int, 1)
	go func() {
		n, s := 0, format.NewScanner(from)
		for s.Next() {
			if o := s.Object(); o.Kind == format.KindTracePoint && o.Class == format.ClassCall {
				n++
			}
		}
		if err := s.Err(); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, from) // drain what follows an error, so that the writer is not blocked
		calls <- n
	}()
	c := Config{FlushInterval: -1, NoTimes: true, Path: "trace.bin"}
	c.create = func(path string) (files.OutFile, error) {
		if path == c.Path {
			return counting{to: to}, nil
		}
		return discard{}, nil
	}
	before := heap()
	r := start(t, c)
	m := r.Method(r.Class("C"), "m", Type{})
	for range goroutines {
		th := r.Thread("short")
		for range 10 {
			th.Enter(m, 0, Null())
			th.Exit(Void())
		}
		th.End()
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	n := <-calls
	if grown := heap() - before; !formattest.Race && grown > 8<<20 {
		t.Errorf("%d bytes of memory after %d goroutines", grown, goroutines)
	}
	saved, _ := r.Flush()
	if n != 10*goroutines || saved.Threads != int64(goroutines) || saved.Refused != 0 || saved.Dropped != 0 {
		t.Errorf("%d calls of %d goroutines, %+v", n, goroutines, saved)
	}
}

// Many goroutines may exist at once: memory stays below the config's limit, and nothing is
// lost.
func TestManyGoroutines(t *testing.T) {
	// Collect often, so that memory freed too early is soon reused by another chunk.
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	goroutines := 40_000
	if !formattest.Exhaustive() || formattest.Race {
		goroutines = 4000
	}
	// Room for all of them, but for at most a third of their buffers.
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), BlockSize: 4 << 10, FlushInterval: -1,
		MaxMemory: 2*int64(goroutines)*(threadSize+int64(len("short"))) + 200<<10}
	var r *Recorder
	var m Method
	var met, group sync.WaitGroup
	meet, begin := make(chan struct{}), make(chan struct{})
	met.Add(goroutines)
	for range goroutines {
		group.Go(func() {
			<-begin
			th := r.Thread("short")
			for i := range 10 {
				th.Enter(m, 0, Null(), Int(i))
				th.Exit(Void())
				if i == 5 {
					met.Done()
					<-meet // all keep what they have
				}
			}
			th.End()
		})
	}
	before := heap()
	r = start(t, c)
	m = r.Method(r.Class("C"), "m", Type{})
	close(begin)
	met.Wait()
	if grown := heap() - before; !formattest.Race && grown > c.MaxMemory+besides {
		t.Errorf("%d bytes of memory for %d goroutines, %d are allowed", grown, goroutines, c.MaxMemory)
	}
	close(meet)
	group.Wait()
	if u := r.pool.Usage(); u.Used > u.Max {
		t.Errorf("%d bytes are used, %d allowed", u.Used, u.Max)
	}
	if r.threads.count() != 0 {
		t.Errorf("%d threads are remembered", r.threads.count())
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	n := 0
	tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(*eager.Thread, *format.Point, int) { n++ })
	if n != 10*goroutines {
		t.Fatalf("%d calls, want %d", n, 10*goroutines)
	}
}

// An idle goroutine takes at most what Config.MaxMemory says, and what it says of the default
// is true.
func TestIdleGoroutine(t *testing.T) {
	if formattest.Race {
		t.Skip("the race detector takes memory of its own")
	}
	const goroutines = 10_000
	r := start(t, Config{})
	m := r.Method(r.Class("C"), "m", Type{})
	threads := make([]*Thread, goroutines)
	before := heap()
	for i := range threads {
		threads[i] = r.Thread("idle")
		threads[i].Enter(m, 0, Null())
		threads[i].mu.Lock()
		r.take(&threads[i].buffer)
	}
	each := (heap() - before) / goroutines
	if said := threadSize + int64(len("idle")); each > said || each < said/2 || threadSize > 880 {
		t.Errorf("an idle goroutine takes %d bytes, %d are reserved", each, said)
	}
	p := buffers.NewPool(DefaultMaxMemory-int64((func() *files.Options { o := r.config.fileOptions(); return &o })().Share(files.MaxDrafts))*DefaultBlockSize, DefaultBlockSize, nil, nil)
	if n := p.Reservable() / (threadSize + 16); n < 53_000 {
		t.Errorf("the default has room for %d goroutines", n)
	}
}

// A goroutine that waits for memory while the recording ends does not cause an error.
func TestNoMemoryBehindTheEnd(t *testing.T) {
	r := start(t, Config{BlockSize: 1 << 10, MaxMemory: 256 << 10, FlushInterval: -1})
	th := r.Thread("main")
	leaveChunks(r, 0)
	for ok := true; ok; {
		ok, _ = r.pool.Reserve(1)
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	if th.deepen() {
		t.Fatal("there was memory")
	}
	if _, err := r.Flush(); err != nil {
		t.Error(err)
	}
}

// limited is a config whose OnError counts: it must be told once that memory ran out.
func limited(t *testing.T, c Config) (Config, *atomic.Int32) {
	told := new(atomic.Int32)
	c.Path = filepath.Join(t.TempDir(), "trace.bin")
	c.OnError = func(err error) {
		told.Add(1)
		if !errors.Is(err, ErrMemory) {
			t.Errorf("OnError: %v", err)
		}
	}
	return c, told
}

// Goroutines without memory are not recorded, and counted; those that begin after others have
// ended are recorded.
func TestTooManyGoroutines(t *testing.T) {
	const goroutines = 3000
	for _, base := range []Config{{}, {OnFull: Drop}, {Strategy: CollectAndDump}} {
		base.BlockSize, base.MaxMemory, base.FlushInterval = 1<<10, 400<<10, -1
		c, told := limited(t, base)
		before := heap()
		r := start(t, c)
		m := r.Method(r.Class("C"), "m", Type{})
		var threads []*Thread
		made := int64(0)
		record := func(th *Thread) {
			th.Enter(m, 0, Null())
			th.Exit(Void())
			if th != nil {
				made++
			}
		}
		for range goroutines {
			th := r.Thread("one of many")
			record(th)
			threads = append(threads, th)
		}
		if grown := heap() - before; !formattest.Race && grown > c.MaxMemory+besides+8*goroutines {
			t.Errorf("%v, %v: %d bytes of memory, %d are allowed", c.Strategy, c.OnFull, grown, c.MaxMemory)
		}
		for _, th := range threads {
			th.End()
		}
		saved, err := r.Flush()
		if !errors.Is(err, ErrMemory) || saved.Refused < goroutines/2 || saved.Refused+saved.Threads != goroutines || told.Load() != 1 {
			t.Fatalf("%v, %v: %+v, %v, told %d times", c.Strategy, c.OnFull, saved, err, told.Load())
		}
		if c.Strategy == Streaming {
			record(r.Thread("late"))
		}
		if err := r.Stop(); !errors.Is(err, ErrMemory) {
			t.Fatal(err)
		}
		saved, _ = r.Flush()
		n, missing := int64(0), int64(0)
		tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(_ *eager.Thread, p *format.Point, _ int) {
			if p.Class == format.ClassVariableWrite {
				missing += p.Value.Bits
				return
			}
			n++
		})
		if c.Strategy == Streaming && c.OnFull == Stall && saved.Dropped != 0 || missing != saved.Dropped || n+saved.Dropped != made {
			t.Fatalf("%v, %v: %d calls, %d noted as missing, %d counted, %d made", c.Strategy, c.OnFull, n, missing, saved.Dropped, made)
		}
	}
}

// Names without memory become one name, and the trace is correct.
func TestManyNames(t *testing.T) {
	const names = 30_000
	for _, strategy := range []Strategy{Streaming, CollectAndDump} {
		c, told := limited(t, Config{Strategy: strategy, BlockSize: 1 << 10, MaxMemory: 2 << 20, FlushInterval: -1})
		before := heap()
		r := start(t, c)
		th := r.Thread("main")
		first := r.Variable("first", Type{})
		var last Variable
		for i := range names {
			name := fmt.Sprint("variable ", i, strings.Repeat("x", i%100))
			class := r.Class(name)
			last = r.Variable(name, ObjectType(name))
			r.Method(class, name, Type{}, ObjectType(name))
			r.Field(class, name, FieldInfo{})
			r.Location(CodeLocation{File: name, Path: r.Path(Local(last), Element(int32(i)))})
			if i%1000 == 0 {
				th.WriteVariable(last, 0, Int(i))
			}
		}
		if grown := heap() - before; !formattest.Race && grown > c.MaxMemory+besides {
			t.Errorf("%v: %d bytes of memory, %d are allowed", strategy, grown, c.MaxMemory)
		}
		if again := r.Variable("first", Type{}); again != first {
			t.Errorf("a name that is known is %d, and was %d", again, first)
		}
		if r.Class("another") != r.Class("and another") || r.Method(0, "another", Type{}) != r.Method(0, "and another", Type{}) {
			t.Error("names that there is no room for are several")
		}
		th.WriteVariable(first, r.Location(CodeLocation{File: "unknown.go", Line: 7}), Int(1))
		th.WriteVariable(last, 0, Int(1))
		if err := r.Stop(); !errors.Is(err, ErrMemory) || told.Load() != 1 {
			t.Fatalf("%v, told %d times", err, told.Load())
		}
		var text strings.Builder
		if err := tracetest.LoadChecked(t, c.Path).Print(&text, lazy.PrintOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"\nvariable 0 = 0\n", "\n<no room> = 29000\nfirst = 1\n<no room> = 1\n"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%v: the trace has no %q: %.500s", strategy, want, text.String())
			}
		}
	}
}

// Recursion deeper than memory allows is recorded as far as there is memory, and so is
// everything after it.
func TestDeepRecursion(t *testing.T) {
	const depth = 50_000
	for _, base := range []Config{{}, {OnFull: Drop}, {Strategy: CollectAndDump}} {
		base.BlockSize, base.MaxMemory = 8<<10, 4<<20
		c, _ := limited(t, base)
		before := heap()
		r := start(t, c)
		th := r.Thread("main")
		m := r.Method(r.Class("C"), "m", Type{})
		for range 2 {
			for i := range depth {
				th.Enter(m, 0, Null(), Int(i))
				th.Loop(0)
				th.Iteration(0)
			}
			if grown := heap() - before; !formattest.Race && grown > c.MaxMemory+besides {
				t.Errorf("%v, %v: %d bytes of memory, %d are allowed", c.Strategy, c.OnFull, grown, c.MaxMemory)
			}
			for range depth {
				th.Exit(Void())
			}
		}
		if err := r.Stop(); !errors.Is(err, ErrMemory) {
			t.Fatalf("Stop: %v", err)
		}
		saved, _ := r.Flush()
		n, missing, roots, deepest := int64(0), int64(0), 0, 0
		tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(_ *eager.Thread, p *format.Point, at int) {
			if p.Class == format.ClassVariableWrite {
				missing += p.Value.Bits
				return
			}
			if p.Class == format.ClassCall && p.Args[0].Bits != int64(at/3) {
				t.Fatalf("call %d is %d deep", p.Args[0].Bits, at)
			}
			if at == 0 {
				roots++
			}
			deepest = max(deepest, at)
			n++
		})
		if n+saved.Dropped != 6*depth || missing != saved.Dropped || deepest < depth/20 || c.Strategy == Streaming && (roots != 2) {
			t.Errorf("%v, %v: %d points, %d dropped, %d noted, %d roots, %d deep", c.Strategy, c.OnFull, n, saved.Dropped, missing, roots, deepest)
		}
	}
}

// An object larger than a block gets room; one larger than all memory is left out and counted.
func TestLargeObjects(t *testing.T) { versiontest.EachVersion(t, testLargeObjects) }

func testLargeObjects(t *testing.T) {
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), BlockSize: 1 << 10, MaxMemory: 1 << 20, MaxString: 20_000, FlushInterval: -1}
	r := start(t, c)
	th := r.Thread("main")
	m := r.Method(r.Class("C"), "m", Type{})
	large := String(strings.Repeat("漢", 20_000))
	many := make([]Value, 30)
	for i := range many {
		many[i] = large
	}
	for i := range 100 {
		args := many[:i%3]
		if i == 50 {
			args = many
		}
		th.Enter(m, 0, Null(), args...)
		th.Exit(large)
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	calls, notes := 0, int64(0)
	tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(_ *eager.Thread, p *format.Point, _ int) {
		if p.Class == format.ClassVariableWrite {
			notes += p.Value.Bits
			return
		}
		calls++
	})
	if calls != 99 || notes != 1 {
		t.Fatalf("%d calls, %d noted as missing", calls, notes)
	}
}
