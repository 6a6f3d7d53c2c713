package instrumented_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
	"tracex/recorder/internal/tracetest"
)

// times converts files, and returns the anchor of the trace and the times of its containers by
// the events' numbers.
func times(t *testing.T, files ...*rawtest.File) (anchor time.Time, cells map[int32]format.TimeCell, names []string) {
	t.Helper()
	out := newOutput(t)
	c, err := instrumented.New(out.to(), instrumented.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		path := filepath.Join(filepath.Dir(out.path), string(rune('a'+i))+raw.Suffix)
		f.Save(t, path)
		c.Add(path)
	}
	if _, err := c.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, thread := range tracetest.LoadChecked(t, out.path).Threads {
		names = append(names, thread.Name)
	}
	index, err := os.ReadFile(out.path + format.IndexSuffix)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out.path + format.TimesSuffix)
	if err != nil {
		t.Fatal(err)
	}
	if anchor, _, err = format.DecodeTimesHeader(b[:format.TimesHeaderSize]); err != nil {
		t.Fatal(err)
	}
	cells = map[int32]format.TimeCell{}
	for i, at := range formattest.TimeCells(t, b) {
		if cell := format.DecodeCell(index[format.HeaderSize+i*format.CellSize:]); cell.Kind == format.KindTracePoint {
			cells[cell.ID] = at
		}
	}
	return anchor, cells, names
}

var plainFunction = &raw.Function{ID: 1, Package: "p", Name: "f"}

// TestTimes: counters become ns since the recording began, by the pairs of the chunks, also where
// the counter's rate changes.
func TestTimes(t *testing.T) {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
	g := f.Goroutine(1 << 7)
	g.Begin(1, 0, 0, 0)
	f.Now += 2000 // 1 µs
	g.Enter(plainFunction, 0)
	f.Now += 6000
	g.Exit(plainFunction)
	f.Now += 2_000_000_000
	h := f.Goroutine(2 << 7) // this chunk tells the rate
	h.Begin(2, 0, 0, 0)
	h.Enter(plainFunction, 0)
	f.Now += 10 << 32
	h.Exit(plainFunction)
	h.Enter(plainFunction, 0)
	anchor, cells, _ := times(t, f)
	if want := time.Unix(0, int64(f.Wall)); !anchor.Equal(want) {
		t.Errorf("anchor %v, want %v", anchor, want)
	}
	for event, want := range [][2]int64{{1000, 3000}, {1_000_004_000, 5 << 32}, {1_000_004_000 + 5<<32, 0}} {
		c := cells[int32(event)]
		if off := max(c.Start-want[0], want[0]-c.Start, c.Duration-want[1], want[1]-c.Duration); off > 10 {
			t.Errorf("event %d: from %d for %d ns, want %d", event, c.Start, c.Duration, want)
		}
	}
}

// TestProcesses: the programs of a machine share one time axis, even if one began before the first.
// The name of the program precedes that of a thread.
func TestProcesses(t *testing.T) {
	file := func(program string, pid, nanos uint64, wall int64) *rawtest.File {
		f := rawtest.New(rawtest.Options{Clock: raw.ClockNanos, Program: program, PID: pid, Nanos: nanos, Wall: uint64(1_700_000_000_000_000_000 + wall)})
		f.Now = nanos
		g := f.Goroutine(1 << 7)
		g.Begin(1, 0, 0, 0)
		f.Now += 100
		g.Enter(plainFunction, 0)
		f.Now += 200
		g.Exit(plainFunction)
		return f
	}
	hour := int64(time.Hour)
	anchor, cells, names := times(t,
		file("/tmp/a.test", 11, 5000, 0),
		file("/tmp/a.test", 12, 4000, -1000),
		file("/tmp/b.test", 13, 6000, 3000),     // its wall clock was set
		file("/tmp/c.test", 14, 10000, 24*hour)) // after a restart of the machine
	if want := time.Unix(0, 1_700_000_000_000_000_000-1000); !anchor.Equal(want) {
		t.Errorf("anchor %v, want %v", anchor, want)
	}
	want := []struct {
		name  string
		start int64
	}{{"a.test 11 › main", 1100}, {"a.test 12 › main", 100}, {"b.test › main", 2100}, {"c.test › main", 24*hour + 1100}}
	for i, w := range want {
		if c := cells[int32(i)]; names[i] != w.name || c.Start != w.start || c.Duration != 200 {
			t.Errorf("%s from %d for %d, want %s from %d for 200", names[i], c.Start, c.Duration, w.name, w.start)
		}
	}
}

// TestNotYet: a file that has no header yet is opened later, or is a problem at the end.
func TestNotYet(t *testing.T) {
	p := newProgram(5, rawtest.Options{Clock: raw.ClockCounter}).run(50)
	dir := t.TempDir()
	path, never := filepath.Join(dir, "a"+raw.Suffix), filepath.Join(dir, "b"+raw.Suffix)
	out := newOutput(t)
	c, err := instrumented.New(out.to(), instrumented.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Add(path)
	c.Add(never)
	if err := os.WriteFile(never, binary.LittleEndian.AppendUint64(nil, raw.Magic), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.Save(t, path)
	s, err := c.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compare(t, threads(t, tracetest.LoadChecked(t, out.path)), p.want())
	if len(s.Processes) != 2 || s.Processes[0].Path != never || s.Processes[0].Damaged != 1 || s.Processes[1].Damaged != 0 {
		t.Errorf("%+v", s)
	}
}

// TestTimesOfSlowChunks: times do not depend on how long a program takes to make room for events.
func TestTimesOfSlowChunks(t *testing.T) {
	record := func(later ...uint32) map[int32]format.TimeCell {
		f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
		for i := range uint64(4) {
			f.Later = later[i]
			g := f.Goroutine((i + 1) << 7)
			g.Begin(i+1, 0, 0, 0)
			g.Enter(plainFunction, 0)
			f.Now += 20_000_000 * rawtest.Rate
			g.Exit(plainFunction)
		}
		_, cells, _ := times(t, f)
		return cells
	}
	want := record(0, 0, 0, 0)
	if len(want) != 4 {
		t.Fatalf("%d calls", len(want))
	}
	const late = 3_000_000 * rawtest.Rate
	for _, later := range [][]uint32{{late, late, late, late}, {2, 0, late, 4}, {0, raw.LaterMost, 0, 0}} {
		for id, got := range record(later...) {
			if got != want[id] {
				t.Errorf("%d counts later: %+v, want %+v", later, got, want[id])
			}
		}
	}
}
