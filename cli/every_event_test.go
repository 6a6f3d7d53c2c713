package cli

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/lazy/eager"
	"tracex/recorder"
	"tracex/recorder/convert/cache"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
	"tracex/recorder/recordertest"
)

// toldEvent is what is told of an event. Numbers may be untold, or none.
type toldEvent struct {
	kind                  string
	parent                int64
	start, duration, self int64  // ns
	result                string // of a call, as JSON; "" if untold
}

const (
	untold = math.MinInt64
	none   = -1 // the parent of a root, a time that is not known
)

// telling is a trace, with what is so of its events.
type telling struct {
	*testing.T
	path   string
	events map[int64]toldEvent // as recorded
	shown  map[int64]toldEvent // as folded: others in what, and so with other self times
	thread map[int64]int32     // of each event
	method map[int64]string    // of each call
}

// TestEveryEvent: whichever way a trace is read, each event has the same start, duration, self time, result
// and parent: those that the data has, read from end to end, and the time cell beside its cell in the index.
func TestEveryEvent(t *testing.T) {
	t.Setenv(cache.Variable, "off")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for name, path := range everyTimed(t) {
		t.Run(name, func(t *testing.T) {
			x := &telling{t, path, map[int64]toldEvent{}, map[int64]toldEvent{}, map[int64]int32{}, map[int64]string{}}
			x.read()
			x.fold()
			for _, way := range waysToTell {
				t.Run(way.name, func(t *testing.T) {
					y := *x
					y.T = t
					if strings.Contains(way.name, "folded") {
						y.events = y.shown
					}
					y.compare(way.tells(&y), way.all)
				})
			}
		})
	}
}

// compare compares what is told with what is so.
func (x *telling) compare(got map[int64]toldEvent, all bool) {
	x.Helper()
	if all && len(got) != len(x.events) || len(got) == 0 && len(x.events) > 0 {
		x.Errorf("%d events, want %d", len(got), len(x.events))
	}
	faults := 0
	for event, e := range got {
		want := x.events[event]
		for _, p := range [][2]*int64{{&e.parent, &want.parent}, {&e.start, &want.start}, {&e.duration, &want.duration}, {&e.self, &want.self}} {
			if *p[0] == untold {
				*p[0] = *p[1]
			}
		}
		if e.result == "" {
			e.result = want.result
		}
		if e != want {
			if faults++; faults > 5 {
				break
			}
			x.Errorf("#%d is told as\n%+v, want\n%+v", event, e, want)
		}
	}
}

// everyTimed returns traces with times, by name: recorded in all ways, generated, and the committed one.
func everyTimed(t *testing.T) map[string]string {
	t.Helper()
	paths := map[string]string{"demo": formattest.Demo(t)}
	for _, processors := range []int{1, 2} {
		before := runtime.GOMAXPROCS(processors)
		for name, c := range map[string]recorder.Config{
			"live":       {BlockSize: 1 << 10},
			"streaming":  {BlockSize: 1 << 10, NoLive: true},
			"dump":       {Strategy: recorder.CollectAndDump},
			"version 22": {BlockSize: 1 << 10, FormatVersion: 22},
		} {
			paths[fmt.Sprintf("%s, GOMAXPROCS %d", name, processors)] = recordedEvery(t, c)
		}
		runtime.GOMAXPROCS(before)
	}
	for _, version := range []format.Version{format.V22, format.V27} {
		paths[fmt.Sprint("instrumented, version ", version)] = convertedEvery(t, version)
	}
	for _, dump := range []bool{false, true} {
		s := formattest.Spec{Shape: formattest.Calls, N: 300, Seed: 3, Threads: 3, Timed: true}
		s.BlockSize, s.Dump = 1024, dump
		paths[s.Name()] = formattest.File(t, s)
	}
	return paths
}

// recordedEvery records threads whose calls span blocks, the first call of each among them.
func recordedEvery(t *testing.T, c recorder.Config) (path string) {
	t.Helper()
	c.Path = filepath.Join(t.TempDir(), "trace.bin")
	r, err := recorder.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	flush := func() {
		if _, err := r.Flush(); err != nil && c.Strategy == recorder.Streaming {
			t.Fatal(err)
		}
	}
	class := r.Class("Early")
	for i := range 3 {
		th := r.Thread("early " + strconv.Itoa(i))
		for level := range 3 {
			th.Enter(r.Method(class, "m"+strconv.Itoa(level), recorder.Type{}), 0, recorder.Null(), recorder.Int(level))
			flush()
		}
		for level := range 3 {
			th.Exit(recorder.Int(level))
			flush()
		}
		th.End()
	}
	recordertest.Program{Seed: 1, Goroutines: 4, Steps: 200, Flushes: c.Strategy == recorder.Streaming, LeaveOpen: true}.Run(r)
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	return c.Path
}

// convertedEvery converts what a program recorded that is instrumented: of four goroutines, the numbers of
// the first calls are those of their threads, and these calls span blocks.
func convertedEvery(t *testing.T, version format.Version) (path string) {
	t.Helper()
	f := rawtest.New(rawtest.Options{Clock: raw.ClockNanos})
	sleep := &raw.Function{ID: 1, Package: "main", Name: "sleep"}
	work := &raw.Function{ID: 2, Package: "main", Name: "work"}
	var all []*rawtest.Goroutine
	for i := range uint64(4) {
		g := f.Goroutine((i + 1) << 7)
		g.Begin(i+1, 0, 0, 0)
		g.Enter(sleep, 0)
		f.Now += 1000
		all = append(all, g)
	}
	for i := range 60 {
		for _, g := range all {
			g.Enter(work, 0)
			f.Now += uint64(10 * i)
			g.Exit(work)
		}
	}
	for _, g := range all {
		f.Now += 3e9
		g.Exit(sleep)
	}
	dir := t.TempDir()
	from := filepath.Join(dir, "1-1"+raw.Suffix)
	f.Save(t, from)
	path = filepath.Join(dir, "trace.bin")
	var files [3]*os.File
	for i, suffix := range []string{"", format.IndexSuffix, format.TimesSuffix} {
		var err error
		if files[i], err = os.Create(path + suffix); err != nil {
			t.Fatal(err)
		}
		defer files[i].Close()
	}
	to := tracefile.Files{Data: files[0], Index: files[1], Times: files[2]}
	c, err := instrumented.New(to, instrumented.Options{Version: version, BlockSize: 512})
	if err != nil {
		t.Fatal(err)
	}
	c.Add(from)
	if _, err := c.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

// read reads what is so.
func (x *telling) read() {
	x.Helper()
	f, err := os.Open(x.path)
	if err != nil {
		x.Fatal(err)
	}
	defer f.Close()
	forest, err := eager.Load(f)
	if err != nil {
		x.Fatal(err)
	}
	times := x.cells()
	for _, th := range forest.Threads {
		for root := range th.Roots() {
			x.add(root, none, times)
		}
	}
	var b bytes.Buffer
	if err := forest.Print(&b, lazy.PrintOptions{JSON: true}); err != nil {
		x.Fatal(err)
	}
	for _, l := range x.lines(b.Bytes()) {
		if l.Event != nil && l.Kind == "call" {
			e := x.events[*l.Event]
			e.result = l.outcome()
			x.events[*l.Event], x.method[*l.Event] = e, l.Class+"."+l.Method
		}
	}
}

// fold finds out what is so of the folded trace: which events are shown, and in which, is what the tree has.
func (x *telling) fold() {
	calls := map[int64]int64{} // ns, by what they are directly in, or in loops in it
	for event, of := range x.tree(true) {
		e := x.events[event]
		e.parent = of.parent
		x.shown[event] = e
	}
	for _, e := range x.shown {
		if e.kind == "call" {
			for in, ok := x.shown[e.parent]; ok; in, ok = x.shown[in.parent] {
				calls[e.parent] += e.duration
				if in.kind == "call" {
					break
				}
				e.parent = in.parent
			}
		}
	}
	for event, e := range x.shown {
		if e.duration >= 0 {
			e.self = e.duration - calls[event]
			x.shown[event] = e
		}
	}
}

// cells reads the times of containers from the file of times, by the kinds of the cells of the index.
func (x *telling) cells() map[int32]format.TimeCell {
	index, cells := readFile(x.T, x.path+format.IndexSuffix), readFile(x.T, x.path+format.TimesSuffix)
	times := map[int32]format.TimeCell{}
	for i, at := range formattest.TimeCells(x, cells) {
		if c := format.DecodeCell(index[format.HeaderSize+i*format.CellSize:]); c.Kind == format.KindTracePoint {
			times[c.ID] = at
		}
	}
	return times
}

// add adds an event and all below it. It returns how long the calls in it took that are in no other call
// in it, or the call itself.
func (x *telling) add(n eager.Node, parent int64, times map[int32]format.TimeCell) (calls int64) {
	var p format.Point
	if err := n.Point(&p); err != nil {
		x.Fatal(err)
	}
	e, id := toldEvent{kind: p.Class.String(), parent: parent, start: none, duration: none, self: none}, int64(p.Event)
	x.thread[id] = p.Thread
	for child := range n.Children() {
		calls += x.add(child, id, times)
	}
	if p.Class.Container() {
		e.start, e.duration, e.self = times[p.Event].Start, times[p.Event].Duration, times[p.Event].Duration-calls
	}
	x.events[id] = e
	if p.Class == format.ClassCall {
		return e.duration
	}
	return calls
}
