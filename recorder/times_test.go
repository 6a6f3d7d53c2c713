package recorder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/recorder/internal/tracetest"
)

// near is how far the clock of a trace may be from Go's, on a busy machine.
const near = time.Millisecond

// until is busy until a moment.
func until(moment time.Time) {
	for time.Now().Before(moment) {
	}
}

// containerTime is the time of a container in a streaming trace.
type containerTime struct {
	thread int32
	format.TimeCell
}

func (c containerTime) begin() time.Duration { return time.Duration(c.Start) }
func (c containerTime) end() time.Duration   { return time.Duration(c.Start + c.Duration) }

// containerTimes returns the times of a trace's containers, in the order of the file.
func containerTimes(t *testing.T, path string) (found []containerTime) {
	t.Helper()
	b, err := os.ReadFile(path + ".tim")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(path + ".idx")
	if err != nil {
		t.Fatal(err)
	}
	thread := int32(-1)
	for i, at := range formattest.TimeCells(t, b) {
		switch c := format.DecodeCell(index[format.HeaderSize+i*format.CellSize:]); c.Kind {
		case format.KindBlockStart:
			thread = c.ID
		case format.KindTracePoint:
			found = append(found, containerTime{thread, at})
		}
	}
	return found
}

// The times of calls in the trace are those that the program sees on its own clock, whatever
// clock is used, and even if the calls of a thread end with it.
func TestTimesAreTrue(t *testing.T) {
	for _, c := range []Config{
		{FlushInterval: 3 * time.Millisecond}, {plain: true}, {Strategy: CollectAndDump}, {OnFull: Drop, BlockSize: 1 << 10},
	} {
		c.Path = filepath.Join(t.TempDir(), "trace.bin")
		r := start(t, c)
		th, open := r.Thread("main"), r.Thread("open")
		m := r.Method(r.Class("C"), "m", Type{})
		type moments struct{ before, begun, ending, after time.Duration }
		since := func() time.Duration { return time.Since(r.clock.Start()) }
		var want []moments
		var unfinished moments
		unfinished.before = since()
		open.Enter(m, 0, Null())
		unfinished.begun = since()
		for i := range 30 {
			var w moments
			w.before = since()
			th.Enter(m, 0, Null())
			w.begun = since()
			until(time.Now().Add(time.Duration(i%3) * time.Millisecond))
			w.ending = since()
			th.Exit(Void())
			w.after = since()
			want = append(want, w)
		}
		th.End()
		unfinished.ending = since()
		open.End()
		unfinished.after = since()
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		want = append(want, unfinished)
		anchor := tracetest.CheckTimes(t, c.Path, true)
		if d := r.clock.Start().Sub(anchor).Abs(); d > near {
			t.Errorf("the anchor is %v away from the begin", d)
		}
		found := containerTimes(t, c.Path)
		if len(found) != len(want) {
			t.Fatalf("%d times, want %d", len(found), len(want))
		}
		for i, w := range want {
			begin, end := found[i].begin(), found[i].end()
			if begin < w.before-near || begin > w.begun+near || end < w.ending-near || end > w.after+near {
				t.Errorf("%v, %v: call %d lasts from %v to %v, want %v", c.Strategy, c.OnFull, i, begin, end, w)
			}
		}
	}
}

// If one thread did something before another one began, their times agree with that.
func TestTimesOfThreadsAgree(t *testing.T) {
	const turns, apart = 2000, 10 * time.Microsecond
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), BlockSize: 4 << 10, FlushInterval: time.Millisecond}
	r := start(t, c)
	m := r.Method(r.Class("C"), "m", Type{})
	ping, pong := make(chan bool, 1), make(chan bool, 1)
	var group sync.WaitGroup
	play := func(th *Thread, mine, other chan bool) {
		defer th.End()
		for range turns {
			<-mine
			th.Enter(m, 0, Null())
			th.Exit(Void())
			other <- true
		}
	}
	first, second := r.Thread("first"), r.Thread("second")
	group.Go(func() { play(first, ping, pong) })
	group.Go(func() { play(second, pong, ping) })
	ping <- true
	group.Wait()
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	tracetest.CheckTimes(t, c.Path, true)
	players := make(map[int32][]containerTime)
	for _, c := range containerTimes(t, c.Path) {
		players[c.thread] = append(players[c.thread], c)
	}
	if len(players[0]) != turns || len(players[1]) != turns {
		t.Fatalf("%d and %d calls, want %d", len(players[0]), len(players[1]), turns)
	}
	last := time.Duration(0)
	for i := range 2 * turns {
		call := players[int32(i%2)][i/2]
		if call.begin() < last-apart {
			t.Fatalf("call %d begins at %v, the one before it ends at %v", i, call.begin(), last)
		}
		last = call.end()
	}
}

// A recording without times has no file of them.
func TestNoTimes(t *testing.T) {
	for _, s := range []Strategy{Streaming, CollectAndDump} {
		c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), NoTimes: true, Strategy: s}
		r := start(t, c)
		few(r)
		saved, err := r.Flush()
		if err != nil || saved.TimeBytes != 0 {
			t.Fatalf("%+v, %v", saved, err)
		}
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(c.Path + ".tim"); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("there are times: %v", err)
		}
	}
}
