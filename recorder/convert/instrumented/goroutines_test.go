package instrumented_test

import (
	"io"
	"path/filepath"
	"runtime"
	"testing"

	"tracex/format/tracefile"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// heap converts a file in steps, and returns the largest heap after one of them, in bytes.
func heap(tb testing.TB, f *rawtest.File, steps int) (s *instrumented.Summary, most uint64) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "a"+raw.Suffix)
	f.Save(tb, path)
	*f = rawtest.File{}
	c, err := instrumented.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, instrumented.Options{Memory: 1 << 20})
	if err != nil {
		tb.Fatal(err)
	}
	c.Add(path)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range steps {
		if _, err := c.Step(tb.Context()); err != nil {
			tb.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		most = max(most, after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))
	}
	if s, err = c.Finish(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return s, most
}

// alive writes a file with so many goroutines that each have an open call.
func alive(n int) *rawtest.File {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter, Shift: 26})
	f.Forget = true
	fn := &raw.Function{ID: 1, Package: "p", Name: "f"}
	for i := range n {
		g := f.Goroutine(uint64(i+1) << 7)
		g.Begin(uint64(i+1), 0, 0, 0)
		g.Enter(fn, 0)
	}
	return f
}

func TestManyAlive(t *testing.T) {
	const n, each = 10_000, 1000
	s, most := heap(t, alive(n), 3)
	if s.Goroutines != n || most > n*each {
		t.Errorf("%d goroutines, %d bytes of memory", s.Goroutines, most)
	}
	t.Log(most/n, "bytes a goroutine")
}

// sequence writes a file with goroutines one after the other on a few g's.
func sequence(n int) *rawtest.File {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter, Shift: 26})
	f.Forget = true
	fn := &raw.Function{ID: 1, Package: "p", Name: "f"}
	gs := [4]*rawtest.Goroutine{f.Goroutine(1 << 7), f.Goroutine(2 << 7), f.Goroutine(3 << 7), f.Goroutine(4 << 7)}
	for i := range n {
		g := gs[i%len(gs)]
		f.Now += 100
		g.Begin(uint64(i+1), 0, 0, 0)
		g.Enter(fn, 0)
		g.Exit(fn)
	}
	return f
}

// TestManyInSequence: goroutines that have ended take no memory. What the blocks that are being written
// take depends on how far their writers are.
func TestManyInSequence(t *testing.T) {
	const n = 20_000
	s, most := heap(t, sequence(n), 1)
	if s.Goroutines != n || most > 6<<20 {
		t.Errorf("%d goroutines, %d bytes of memory", s.Goroutines, most)
	}
}

// TestAgain: a goroutine continues with open calls that are otherwise unknown.
func TestAgain(t *testing.T) {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter, Shift: 12})
	a, b := &raw.Function{ID: 1, Package: "p", Name: "a"}, &raw.Function{ID: 2, Package: "p", Name: "b"}
	for _, fn := range []*raw.Function{a, b} {
		f.Function(fn)
	}
	g := f.Goroutine(1 << 7)
	g.Begin(5, 0, 0, 0)
	begun := f.Now
	g.Enter(a, 0)
	f.Now += 10
	g.Enter(a, 0)
	// The first of the three open calls is known.
	f.Now += 1000
	g.Again(5, 0, 0, 0, rawtest.Open{Function: a, Counter: begun}, rawtest.Open{Function: b, Counter: f.Now}, rawtest.Open{Function: b, Counter: f.Now})
	g.Exit(b)
	g.Exit(b)
	h := f.Goroutine(2 << 7)
	h.Again(6, 0, 0, 0, rawtest.Open{Function: b, Counter: f.Now})
	h.Enter(a, 0)
	h.Exit(a)
	h.Exit(b)
	// Ends of unknown calls, or of calls whose children have no end.
	h.Exit(b)
	h.Enter(a, 0)
	h.Enter(b, 0)
	h.Exit(a)
	s, _, got := convert(t, instrumented.Options{}, f)
	want := `# Thread 1 (goroutine 5)
p.a(): <unfinished method>
  a(): <untracked result>
  b(…)
    b(…)
# Thread 2 (goroutine 6)
p.b(…)
  a()
p.a()
  b(): <unfinished method>
`
	if got != want || s.Processes[0].Damaged > 0 {
		t.Errorf("%s\nwant\n%s%v", got, want, s.Processes[0].Problems)
	}
}

// TestDropped: dropped segments are skipped.
func TestDropped(t *testing.T) {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter, Shift: 12})
	g := f.Goroutine(1 << 7)
	fn := &raw.Function{ID: 1, Package: "p", Name: "f"}
	g.Begin(5, 0, 0, 0)
	for range 200 {
		g.Enter(fn, 0)
		g.Exit(fn)
	}
	segment := f.Segments()
	for f.Segments() == segment { // until a chunk is in the next segment
		g.Enter(fn, 0)
		g.Exit(fn)
	}
	late := &raw.Function{ID: 2, Package: "p", Name: "late"}
	f.Drop(f.Segments() - 1)
	h := f.Goroutine(2 << 7)
	h.Again(6, 0, 0, 0)
	f.FreshDescriptors()
	h.Enter(late, 0)
	h.Exit(late)
	_, _, got := convert(t, instrumented.Options{}, f)
	if want := "# Thread 1\np.late()\n"; got != want { // functions described before are not known
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// BenchmarkGoroutines counts ns a goroutine with one call.
func BenchmarkGoroutines(b *testing.B) {
	const n = 200_000
	for name, file := range map[string]func(int) *rawtest.File{"alive": alive, "sequence": sequence} {
		b.Run(name, func(b *testing.B) {
			var most uint64
			for b.Loop() {
				b.StopTimer()
				f := file(n)
				b.StartTimer()
				_, most = heap(b, f, 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/goroutine")
			b.ReportMetric(float64(most)/n, "B/goroutine")
		})
	}
}

// BenchmarkIdleStep is a step while nothing happens, with 100,000 goroutines that wait.
func BenchmarkIdleStep(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a"+raw.Suffix)
	alive(100_000).Save(b, path)
	c, err := instrumented.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, instrumented.Options{})
	if err != nil {
		b.Fatal(err)
	}
	c.Add(path)
	for range 3 {
		if _, err := c.Step(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := c.Step(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	c.Close()
}
