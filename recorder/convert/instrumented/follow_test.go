package instrumented_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/lazy/eager"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
	"tracex/recorder/internal/tracetest"
)

// TestFollow: what a program has written is in the files two steps later. Calls that follow a go
// statement whose goroutine has not begun take some steps more.
func TestFollow(t *testing.T) {
	table, text, place := ownTable(t)
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter, Table: table, Text: text})
	path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
	out := newOutput(t)
	c, err := instrumented.New(out.to(), instrumented.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Add(path)
	disk := f.Grow(t, path)
	written := len(f.Writes)
	shown := func(steps int) string {
		disk.More(f.Writes[written:])
		written = len(f.Writes)
		disk.Apply(t, len(f.Writes))
		for range steps {
			if _, err := c.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return showing(t, out)
	}
	g := f.Goroutine(1 << 7)
	g.Begin(1, 0, 0, 0)
	g.Enter(plainFunction, 0)
	if got := shown(2); got != "p.f(): <unfinished method>\n" {
		t.Errorf("%s", got)
	}
	statement := *hereStatement(place)
	g.Enter(plainFunction, 0)
	g.Go(&statement)
	g.Exit(plainFunction)
	if got := shown(2); got != "p.f(): <unfinished method>\n" {
		t.Errorf("%s", got)
	}
	if got := shown(3); got != "p.f(): <unfinished method>\n  f()\n    go work(i)\n" {
		t.Errorf("%s", got)
	}
	g.Go(&statement)
	g.Go(&statement)
	shown(1)
	for id := range uint64(3) {
		child := f.Goroutine((2 + id) << 7)
		child.Begin(7+id, 1, place, 0)
		child.Enter(plainFunction, 0)
	}
	got := shown(2)
	for _, want := range []string{"  go work(i): goroutine 8\n  go work(i): goroutine 9\n", "p.f(): <unfinished method>\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	if _, err := c.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	tracetest.LoadChecked(t, out.path)
}

// TestResume: what another conversion adds between two steps keeps its numbers.
func TestResume(t *testing.T) {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
	for _, typ := range allTypes {
		f.Type(typ)
	}
	path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
	out := newOutput(t)
	c, err := instrumented.New(out.to(), instrumented.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Trace() != nil {
		t.Error("there is a trace before there is a raw file")
	}
	c.Add(path)
	disk := f.Grow(t, path)
	written := len(f.Writes)
	grow := func() {
		disk.More(f.Writes[written:])
		written = len(f.Writes)
		disk.Apply(t, written)
	}
	g := f.Goroutine(1 << 7)
	g.Begin(1, 0, 0, 0)
	g.Enter(mainMain, 0)
	grow()
	if _, err := c.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := c.Trace()
	if w == nil || w.Events != 1 || w.Threads != 1 || w.Last >= 1<<40 {
		t.Fatalf("%+v", w)
	}
	for kind := range w.IDs {
		w.IDs[kind] += 10
	}
	methods := w.IDs[format.KindMethodDescriptor]
	w.Events, w.Threads, w.Last = w.Events+5, w.Threads+2, 1<<40
	pay := &raw.Function{ID: 9, Line: 50, Results: []uint32{3, 1}, Package: "example.com/shop", Name: "pay", File: "/src/shop/main.go"}
	g.Enter(pay, 0)
	g.Exit(pay, rawtest.Struct(false, rawtest.Int(7), rawtest.String("apple")), rawtest.Int(1))
	other := f.Goroutine(2 << 7)
	other.Begin(7, 0, 0, 0)
	other.Enter(pay, 0)
	grow()
	if _, err := c.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	forest := tracetest.LoadChecked(t, out.path)
	if got, want := text(t, forest), "# Thread 1 (main)\nshop.main(): <unfinished method>\n  pay(): (Order{ID:7, Item:\"apple\"}, 1)\n"+
		"# Thread 4 (goroutine 7)\nshop.pay(): <unfinished method>\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	var events []int32
	tracetest.Points(t, forest, func(_ *eager.Thread, p *format.Point, _ int) {
		if events = append(events, p.Event); p.Event > 0 && p.Ref < methods {
			t.Errorf("event %d is of method %d", p.Event, p.Ref)
		}
	})
	if !slices.Equal(events, []int32{0, 6, 7}) {
		t.Errorf("events %v", events)
	}
	if w.Last != 1<<40 {
		t.Errorf("it ends at %d", w.Last)
	}
}

// TestBegun adds to a trace of another conversion: numbers follow those in use, times are converted, and the
// trace has no end.
func TestBegun(t *testing.T) {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockNanos})
	f.Now = f.Nanos
	g := f.Goroutine(1 << 7)
	g.Begin(1, 0, 0, 0)
	g.Enter(mainMain, 0)
	f.Now += 100
	g.Exit(mainMain)
	out := newOutput(t)
	b := tracefile.NewWriter(format.V22, out.to(), time.Unix(0, 0))
	b.Threads, b.Events, b.Last = 2, 4, 50
	for kind := range b.IDs {
		b.IDs[kind] = 3
	}
	converted := func(monotonic int64) int64 { return monotonic - int64(f.Nanos) + 5000 }
	c, err := instrumented.New(tracefile.Files{}, instrumented.Options{Begun: b, Time: converted, Programs: true, NotEmpty: true})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
	f.Save(t, path)
	c.Add(path)
	if s, err := c.Complete(t.Context()); err != nil || s.Events() != 1 {
		t.Fatal(s, err)
	}
	if b.Threads != 3 || b.Events != 5 || b.Last != 5100 || b.IDs[format.KindClassDescriptor] != 4 {
		t.Errorf("%+v", b)
	}
	if err := b.End(b.Last); err != nil {
		t.Fatal(err)
	}
	forest := tracetest.LoadChecked(t, out.path)
	if got, want := text(t, forest), "# Thread 3\nshop.main()\n"; got != want || forest.Threads[0].Name != "shop.test › main" {
		t.Errorf("%s of %q, want %s", got, forest.Threads[0].Name, want)
	}
	cells, err := os.ReadFile(out.path + format.TimesSuffix)
	if err != nil {
		t.Fatal(err)
	}
	want := format.TimeCell{ID: 4, Start: 5000, Duration: 100}
	if !slices.Contains(formattest.TimeCells(t, cells), want) {
		t.Errorf("the times lack %+v", want)
	}
}

// showing returns what a reader of the files finds now, without the headlines of threads.
func showing(t *testing.T, out *output) string {
	var lines []string
	for line := range strings.Lines(text(t, tracetest.LoadDamaged(t, out.path))) {
		if !strings.HasPrefix(line, "# ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// TestStopped: a conversion that was stopped continues, or is finished with what it has.
func TestStopped(t *testing.T) {
	for _, goesOn := range []bool{true, false} {
		p := newProgram(7, rawtest.Options{Clock: raw.ClockCounter}).run(2000)
		path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
		p.Save(t, path)
		out := newOutput(t)
		c, err := instrumented.New(out.to(), instrumented.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c.Add(path)
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if _, err := c.Step(stopped); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if !goesOn {
			s, err := c.Finish(stopped)
			if !errors.Is(err, context.Canceled) || s.Calls != 0 {
				t.Errorf("%+v, %v", s, err)
			}
			tracetest.LoadChecked(t, out.path)
			continue
		}
		if _, err := c.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		compare(t, threads(t, tracetest.LoadChecked(t, out.path)), p.want())
	}
}

// TestFullDisk: a file that cannot be written ends the conversion with an error.
func TestFullDisk(t *testing.T) {
	p := newProgram(7, rawtest.Options{Clock: raw.ClockCounter}).run(2000)
	path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
	p.Save(t, path)
	out := newOutput(t)
	to := out.to()
	to.Index = full{}
	c, err := instrumented.New(to, instrumented.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Add(path)
	if _, err := c.Step(t.Context()); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if _, err := c.Finish(t.Context()); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

var errFull = errors.New("no room")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestNothing: a program that has called nothing yet has no trace.
func TestNothing(t *testing.T) {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
	f.Goroutine(1<<7).Begin(1, 0, 0, 0)
	path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
	f.Save(t, path)
	c, err := instrumented.New(tracefile.Files{Data: full{}, Index: full{}, Times: full{}}, instrumented.Options{NotEmpty: true})
	if err != nil {
		t.Fatal(err)
	}
	c.Add(path)
	if _, err := c.Step(t.Context()); err != nil {
		t.Error(err)
	}
	if s, err := c.Finish(t.Context()); err != nil || s.Events() != 0 || s.Goroutines != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestProgress: the reported progress is relative to the current sizes of the files.
func TestProgress(t *testing.T) {
	p := newProgram(7, rawtest.Options{Clock: raw.ClockCounter}).run(2000)
	path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
	disk := p.Grow(t, path)
	var done, total int64
	calls := 0
	out := newOutput(t)
	c, err := instrumented.New(out.to(), instrumented.Options{Progress: func(d, of int64) {
		if calls++; d < done || d > of || of < total {
			t.Errorf("%d of %d after %d of %d", d, of, done, total)
		}
		done, total = d, of
	}})
	if err != nil {
		t.Fatal(err)
	}
	c.Add(path)
	for more := true; more; {
		more = disk.Apply(t, 300)
		if _, err := c.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if calls < 10 || done != total || total < 10<<10 {
		t.Errorf("told %d times, at last %d of %d", calls, done, total)
	}
}
