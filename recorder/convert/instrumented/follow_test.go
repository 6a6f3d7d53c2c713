package instrumented_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/tracefile"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
	"tracex/recorder/internal/tracetest"
)

// TestFollow: what a program has written is in the files two steps later; calls that follow a go
// statement whose goroutine has not begun some steps later.
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

// TestStopped: a conversion that was stopped goes on, or is finished with what there is.
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

// TestNothing: a program that has called nothing so far has no trace.
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

// TestProgress: what is told of the progress is of the files as they are by then.
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
