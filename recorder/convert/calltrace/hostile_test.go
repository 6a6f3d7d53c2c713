package calltrace_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
)

// TestStrangeValues has values that the format, or the version, cannot hold.
func TestStrangeValues(t *testing.T) {
	message := "broken"
	deep := calltrace.Int(1)
	for range 300 {
		deep = calltrace.Object(0, 0, []format.CapturedField{{Name: "in", Value: deep}})
	}
	large := make([]format.Value, 25)
	for i := range large {
		large[i] = calltrace.String(strings.Repeat("y", 60000))
	}
	values := []format.Value{
		calltrace.String(strings.Repeat("x", 100_000)),
		calltrace.String("\xff\xfe\x00\xed\xa0\x80"),
		calltrace.Unquoted(strings.Repeat("😀", 20_000)),
		{Kind: format.ValueObject, ClassID: -5},
		{Kind: format.ValueException, ClassID: -5, Captured: &format.Captured{Message: &message, Frames: make([]string, 1500)}},
		{Kind: format.ValueSequence, Text: "s"}, {Kind: format.ValueEnum, Absent: true, Text: "e"}, {Kind: format.ValueBuilder, Text: "b"},
		{Kind: format.ValueBigInteger, Text: "12"}, {Kind: format.ValueBigDecimal, Text: "1.5"}, {Kind: format.ValueUnfinished},
		{Kind: 200, Text: "?"},
		deep,
		calltrace.List(0, large, 3),
		calltrace.List(-3, []format.Value{calltrace.Unquoted("a b"), {Kind: format.ValueSequence, Text: "q"}, calltrace.String(strings.Repeat("x", 100_000))}, math.MaxInt),
		calltrace.Null(), calltrace.Float(1.5), calltrace.Bool(true),
	}
	for _, v := range versions {
		w := write(t, calltrace.Options{Version: v})
		th, k := w.Thread("t"), w.Track("k")
		w.Class("")
		m := w.Method("C", "m")
		for i := range values {
			c := calltrace.Call{Method: m, Args: values[i : i+1], Receiver: &values[i]}
			must(t, th.Begin(1, &c))
			must(t, th.Set("v", &values[i]))
			must(t, th.Throw(&values[i], i%2 == 0))
			must(t, th.End(2, &calltrace.End{Result: &values[i]}))
			must(t, k.Complete(1, 5, &c, &calltrace.End{Result: &values[i], Threw: strings.Repeat("E", 70_000)}))
			must(t, k.Set(2, "v", &values[i]))
		}
		must(t, th.Begin(3, &calltrace.Call{Method: m, Args: values}))
		must(t, th.Begin(3, &calltrace.Call{Method: m, Args: large}))
		must(t, th.Begin(3, &calltrace.Call{Method: m, Args: make([]format.Value, 1030), Place: w.Place("f", "g", 1, make([]string, 1030))}))
		s := w.finish()
		got := leftOut(s)
		for _, want := range []string{"texts cut to 65,535 bytes", "values too large", "6 arguments beyond"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q lacks %q", got, want)
			}
		}
		text := w.read().text()
		for _, want := range []string{"{in:", "C.m(", ": …", `"x`, "a b", "threw EEE"} {
			if !strings.Contains(text, want) {
				t.Errorf("the text lacks %q", want)
			}
		}
	}
}

// TestUnchanged checks that an event does not change what its caller passes on.
func TestUnchanged(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	inner := []format.Value{calltrace.Unquoted("a b"), calltrace.String(long)}
	v := calltrace.List(0, inner, 2)
	w := calltrace.New(nowhere(), calltrace.Options{})
	defer w.Discard()
	must(t, w.Thread("t").Begin(1, &calltrace.Call{Args: []format.Value{v}}))
	if inner[0].Kind != format.ValueRawString || inner[1].Text != long || v.Captured.Elements[0].Text != "a b" {
		t.Error("the values were changed")
	}
}

// TestStrangeTimes has times at the ends of their range.
func TestStrangeTimes(t *testing.T) {
	w := write(t, calltrace.Options{})
	th, k := w.Thread(strings.Repeat("n", 1<<17)), w.Track("k")
	c := &calltrace.Call{Method: w.Method("", "f")}
	for _, ns := range []int64{math.MinInt64, -1, 0, math.MaxInt64} {
		must(t, th.Begin(ns, c))
		must(t, k.Complete(ns, math.MaxInt64, c, nil))
		must(t, k.Complete(ns, -7, c, nil))
		must(t, k.Begin(ns, c, calltrace.Label{}))
	}
	if got := leftOut(w.finish()); got != "4 negative durations; taken as 0" {
		t.Error(got)
	}
	if text := w.read().text(); strings.Count(text, "\n") != 4+12+1+strings.Count(text, "thread k") {
		t.Error(text)
	}
}

// TestDeep has more open calls than a thread may have.
func TestDeep(t *testing.T) {
	if formattest.Race {
		t.Skip("one goroutine, and much to do")
	}
	w := calltrace.New(nowhere(), calltrace.Options{})
	defer w.Discard()
	th, k := w.Thread("t"), w.Track("k")
	c := &calltrace.Call{Method: w.Method("", "f")}
	const limit, more = 1 << 19, 5
	for range limit + more {
		must(t, th.Begin(1, c))
		must(t, k.Begin(1, c, calltrace.Label{}))
	}
	for range more {
		must(t, th.End(1, &calltrace.End{}))
		must(t, k.End(1, calltrace.Label{}, nil))
	}
	if th.Depth() != limit {
		t.Errorf("%d calls are open", th.Depth())
	}
	must(t, th.End(1, &calltrace.End{}))
	must(t, th.Begin(1, c))
	s, err := w.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := leftOut(s); got != "10 calls nested too deeply" || s.Events != 2*limit+1 {
		t.Errorf("%d events, %s", s.Events, got)
	}
}

// TestManyLanes has more calls at one time than a track has threads, each overlapping all others.
func TestManyLanes(t *testing.T) {
	w := write(t, calltrace.Options{})
	k := w.Track("k")
	c := &calltrace.Call{Method: w.Method("", "f")}
	const limit, more = 1 << 10, 6
	for i := range int64(limit + more) {
		must(t, k.Complete(2*i, 10_001, c, nil))
	}
	s := w.finish()
	if got := leftOut(s); got != "6 calls that overlap too many others" || s.Threads != limit {
		t.Errorf("%d threads, %s", s.Threads, got)
	}
	if text := w.read().text(); !strings.Contains(text, "thread k #1024\n  f() @2046+10001\n") {
		t.Error("the last thread is missing")
	}
}

// TestOneTime has more events of one time than are sorted together.
func TestOneTime(t *testing.T) {
	w := write(t, calltrace.Options{})
	k := w.Track("k")
	c := &calltrace.Call{Method: w.Method("", "f"), Args: []format.Value{calltrace.String("some text")}}
	const n = 10_000
	for range n {
		must(t, k.Instant(7, c))
	}
	if s := w.finish(); s.Events != n || s.Threads != 1 || len(s.LeftOut) > 0 {
		t.Errorf("%+v", s)
	}
	if got := strings.Count(w.read().text(), "  f(\"some text\") @7+0\n"); got != n {
		t.Errorf("%d events", got)
	}
}

// TestManyNames has a new name in each event: memory for them is bounded, and each is in the trace
// before it is used. Tracks have no block to put them into, so they go to the temporary file.
func TestManyNames(t *testing.T) {
	if formattest.Race {
		t.Skip("one goroutine, and much to do")
	}
	for _, tracks := range []bool{false, true} {
		w := write(t, calltrace.Options{TempDir: t.TempDir(), Memory: 1 << 16})
		var want strings.Builder
		want.WriteString("thread t\n")
		th, k := w.Thread("t"), w.Track("t")
		const n = 12_000
		for i := range int64(n) {
			name := fmt.Sprintf("a rather long name of a method %d", i)
			c := &calltrace.Call{Method: w.Method("C", name), Args: []format.Value{calltrace.Int(i)}, Place: w.Place("f", name, 1, []string{name})}
			if tracks {
				must(t, k.Instant(i, c))
			} else {
				must(t, th.Begin(i, c))
				must(t, th.End(i, &calltrace.End{}))
			}
			fmt.Fprintf(&want, "  C.%s(%s ➜ %d) @%d+0\n", name, name, i, i)
		}
		same(t, w.text(), want.String())
	}
}

// TestMixed has threads, which write blocks, and tracks, which do not, with new names in turns.
func TestMixed(t *testing.T) {
	if formattest.Race {
		t.Skip("one goroutine, and much to do")
	}
	w := write(t, calltrace.Options{Memory: 1 << 16})
	k := w.Track("k")
	var first, second strings.Builder
	for round := range int64(4) {
		for i := range int64(9000) {
			name := fmt.Sprintf("a rather long name of a method in a track %d %d", round, i)
			must(t, k.Instant(round*10000+i, &calltrace.Call{Method: w.Method("C", name)}))
			fmt.Fprintf(&second, "  C.%s() @%d+0\n", name, round*10000+i)
		}
		th := w.Thread("t")
		fmt.Fprintf(&first, "thread t\n")
		for i := range int64(9000) {
			name := fmt.Sprintf("a rather long name of a method %d %d", round, i)
			must(t, th.Begin(i, &calltrace.Call{Method: w.Method("C", name)}))
			must(t, th.End(i, &calltrace.End{}))
			fmt.Fprintf(&first, "  C.%s() @%d+0\n", name, i)
		}
		must(t, th.Close(9000))
	}
	same(t, w.text(), first.String()+"thread k\n"+second.String())
}

// TestManyThreads has many threads that end, and many that do not.
func TestManyThreads(t *testing.T) {
	n := 20_000
	if formattest.Exhaustive() {
		n = 1_000_000
	}
	w := calltrace.New(nowhere(), calltrace.Options{})
	defer w.Discard()
	c := &calltrace.Call{Method: w.Method("C", "m"), Args: []format.Value{calltrace.Int(1)}}
	before := memory()
	for i := range n {
		th := w.Thread(fmt.Sprintf("thread %d", i))
		must(t, th.Begin(1, c))
		must(t, th.End(2, &calltrace.End{}))
		must(t, th.Close(3))
	}
	if more := memory() - before; more > 32<<20 {
		t.Errorf("%d closed threads take %d bytes", n, more)
	}
	before = memory()
	var open []*calltrace.Thread
	for i := range n {
		open = append(open, w.Thread(fmt.Sprintf("thread %d", i)))
	}
	for round := range 3 {
		for _, th := range open {
			if round == 0 {
				must(t, th.Begin(4, c))
			}
			must(t, th.Set("x", &c.Args[0]))
		}
	}
	if more := memory() - before; more > 160<<20+int64(n)*600 {
		t.Errorf("%d open threads take %d bytes", n, more)
	}
	s, err := w.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Threads != 2*n || s.Events != int64(5*n) {
		t.Errorf("%+v", s)
	}
}

// memory returns the bytes in use.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// limited fails after so many bytes.
type limited struct{ left int }

var errFull = errors.New("no space left on device")

func (l *limited) Write(b []byte) (int, error) {
	if l.left -= len(b); l.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestFullDisk: the error of a file is returned by an event, and by all that follows.
func TestFullDisk(t *testing.T) {
	for file := range 3 {
		to := []io.Writer{io.Discard, io.Discard, io.Discard}
		to[file] = &limited{2 << 20}
		w := calltrace.New(tracefile.Files{Data: to[0], Index: to[1], Times: to[2]}, calltrace.Options{})
		th, k := w.Thread("t"), w.Track("k")
		c := &calltrace.Call{Method: w.Method("C", "m")}
		var err error
		for n := 0; err == nil && n < 5_000_000; n++ {
			if err = th.Begin(1, c); err == nil {
				err = th.End(2, &calltrace.End{})
			}
		}
		_, finished := w.Finish(t.Context())
		for _, err := range []error{err, finished, th.Begin(3, c), k.Instant(3, c), th.Close(3)} {
			if !errors.Is(err, errFull) {
				t.Errorf("file %d: %v", file, err)
			}
		}
		w.Discard()
	}
	// At the end only.
	w := calltrace.New(tracefile.Files{Data: &limited{100}, Index: io.Discard, Times: io.Discard}, calltrace.Options{})
	must(t, w.Track("k").Instant(1, &calltrace.Call{Args: []format.Value{calltrace.String(strings.Repeat("x", 100))}}))
	if _, err := w.Finish(t.Context()); !errors.Is(err, errFull) {
		t.Errorf("%v", err)
	}
	w.Discard()
}

// TestStopped: Finish stops when its context ends, and a version that is not written is refused.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := calltrace.New(nowhere(), calltrace.Options{Progress: func(int64) { cancel() }})
	defer w.Discard()
	for _, name := range []string{"a", "b", "c"} {
		k := w.Track(name)
		for i := range int64(200_000) {
			must(t, k.Instant(i, &calltrace.Call{Args: []format.Value{calltrace.Int(i)}}))
		}
	}
	if _, err := w.Finish(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	other := calltrace.New(nowhere(), calltrace.Options{Version: 5})
	defer other.Discard()
	if err := other.Thread("t").Begin(1, &calltrace.Call{}); err == nil {
		t.Error("version 5 is written")
	}
}

// TestTempDir: a temporary file that cannot be made is an error.
func TestTempDir(t *testing.T) {
	w := calltrace.New(nowhere(), calltrace.Options{TempDir: t.TempDir() + "/missing", Memory: 1})
	defer w.Discard()
	k := w.Track("k")
	var err error
	for i := range int64(1 << 17) {
		if err = k.Instant(i, &calltrace.Call{}); err != nil {
			break
		}
	}
	if _, finished := w.Finish(t.Context()); err == nil || finished == nil {
		t.Errorf("%v, %v", err, finished)
	}
}

// TestEmpty is a trace without events.
func TestEmpty(t *testing.T) {
	w := write(t, calltrace.Options{})
	w.Thread("t")
	w.Track("k")
	w.Method("C", "m")
	if s := w.finish(); s.Threads != 0 || s.Events != 0 || s.Took != 0 {
		t.Errorf("%+v", s)
	}
	same(t, w.read().text(), "")
}

// TestLeave counts what converters leave out, of more kinds than are counted apart.
func TestLeave(t *testing.T) {
	w := calltrace.New(nowhere(), calltrace.Options{})
	defer w.Discard()
	w.Leave("thing", "things", 2, 77)
	w.Leave("thing", "things", 3, 99)
	w.Leave("one", "ones", 1, -1)
	w.Leave("none", "nones", 0, 5)
	for i := range 3000 {
		w.Leave(fmt.Sprintf("kind %d", i), "kinds", 1, int64(i))
	}
	s, err := w.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := s.LeftOut
	if len(all) != 1025 || all[0] != (calltrace.LeftOut{What: "things of other kinds", Count: 1978, First: 1022}) ||
		all[1] != (calltrace.LeftOut{What: "things", Count: 5, First: 77}) {
		t.Errorf("%d: %+v", len(all), all[:3])
	}
}
