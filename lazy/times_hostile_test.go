package lazy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/times"
)

// tinyTimed returns a trace with times, small enough to damage at each offset.
func tinyTimed(t *testing.T, crash formattest.Crash) (path string, times []byte) {
	spec := formattest.Spec{Shape: formattest.Random, N: 14, Seed: 3, Threads: 2, Plain: true, Timed: true, Crash: crash}
	spec.BlockSize = 400
	path = formattest.File(t, spec)
	times, err := os.ReadFile(path + ".tim")
	if err != nil {
		t.Fatal(err)
	}
	return path, times
}

// useTimes uses everything that depends on times: an error or a result is correct. It
// returns how many nodes have a time.
func useTimes(t *testing.T, r *LazyTraceReader, order Order) (timed int) {
	t.Helper()
	ctx := context.Background()
	tree := r.Tree(false)
	todo := tree.Threads()
	for len(todo) > 0 {
		n := todo[0]
		nodes, err := tree.Children(ctx, n)
		if err != nil {
			t.Fatal(err)
		}
		todo = append(todo[1:], nodes...)
		if took, ok := n.Time(); ok {
			timed++
			if took.Start < 0 || took.Duration < 0 || took.End() < took.Start {
				t.Fatalf("time %+v", took)
			}
		}
		if _, _, err := tree.CountChildren(ctx, n, 0); err != nil {
			t.Fatal(err)
		}
		if ns, _, _ := n.Self(); ns < 0 {
			t.Fatalf("self %d", ns)
		}
		if _, _, err := tree.Longest(ctx, n, nil); err != nil {
			t.Fatal(err)
		}
		o := FlameOptions{Thread: n.thread, Raw: true, Columns: 9, Depth: 4}
		if n.IsThread() {
			if f, err := FlameOf(ctx, r, o); err == nil && f.Done != o.Columns {
				t.Fatalf("%+v of %d columns", f, o.Columns)
			}
		}
		tree.Expand(n)
		if err := tree.Sort(ctx, n, order, nil); err != nil {
			t.Fatal(err)
		}
	}
	rows := 0
	for row, ok := tree.First(); ok; row, ok = tree.Next(row) {
		if !row.Gap() {
			rows++
		}
	}
	if all := int(tree.Stats().Loaded) + len(tree.Threads()); rows != all {
		t.Fatalf("%d rows of %d nodes", rows, all)
	}
	r.Recording()
	return timed
}

// withTimes opens a trace with other bytes in its file of times.
func withTimes(t *testing.T, path string, times []byte) *LazyTraceReader {
	t.Helper()
	if err := os.WriteFile(path+".tim", times, 0o644); err != nil {
		t.Fatal(err)
	}
	return ready(t, path, Options{NoWrite: true})
}

// timesInMemory opens a trace with other times, without a file.
func timesInMemory(t *testing.T, data, index, cells []byte) *LazyTraceReader {
	t.Helper()
	r := inMemory(data, 1<<20)
	if s, err := times.New(mapped.InMemory("memory.tim", cells)); err != nil {
		r.r.Note(func(st *Status) { st.TimesReason = err })
	} else {
		r.r.TimesFile.Store(s)
	}
	if err := runInMemory(r, index); err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTimesFlipped damages each byte of a file of times, and cuts it at each
// offset: the trace is shown nevertheless.
func TestTimesFlipped(t *testing.T) {
	collectSeldom(t)
	for _, crash := range []formattest.Crash{formattest.CrashNone, formattest.CrashLost} {
		path, times := tinyTimed(t, crash)
		text := []byte(eagerText(t, path, false))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		index, err := os.ReadFile(path + ".idx")
		if err != nil {
			t.Fatal(err)
		}
		stride := 13
		switch {
		case formattest.Exhaustive() && formattest.Race:
			stride = 7
		case formattest.Exhaustive():
			stride = 1
		}
		eachOf(t, fmt.Sprintf("crash %v", crash), len(times), stride, func(t *testing.T, i int) {
			bad := bytes.Clone(times)
			bad[i] ^= []byte{0x01, 0x80, 0xff}[i%3]
			r := timesInMemory(t, data, index, bad)
			useTimes(t, r, OrderWeight)
			if i%97 == 0 {
				formattest.SameText(t, printed(t, r, PrintOptions{Verbose: true}), text)
			}
			r.Close()
			r = timesInMemory(t, data, index, times[:i])
			timed := useTimes(t, r, OrderWeight)
			_, ok := r.Times()
			st := r.Status()
			if st.Phase != PhaseReady {
				t.Fatalf("cut at %d: status %+v", i, st)
			}
			switch whole := crash == formattest.CrashNone; {
			case whole && (ok || timed > 0 || st.TimesReason == nil):
				t.Fatalf("cut at %d of %d: times %v, %d known, reason %v", i, len(times), ok, timed, st.TimesReason)
			case !whole && ((st.TimesReason == nil) != (i >= format.TimesHeaderSize) || ok != usable(times[:i])):
				t.Fatalf("cut at %d of %d: times %v, reason %v", i, len(times), ok, st.TimesReason)
			}
			r.Close()
		})
	}
}

// usable reports whether the first cells of a file of times have a time, if there are any.
func usable(cells []byte) bool {
	untimed, err := tracefile.Untimed(bytes.NewReader(cells))
	return !untimed && err == nil && len(cells) >= format.TimesHeaderSize
}

// TestTimesAbsurd: impossible times are not known; the others are.
func TestTimesAbsurd(t *testing.T) {
	path, times := tinyTimed(t, formattest.CrashNone)
	want := pair(t, path)
	for _, absurd := range []struct{ start, duration int64 }{
		{-1, 5}, {math.MinInt64, 0}, {math.MaxInt64, 1}, {1, math.MaxInt64}, {0, math.MinInt64}, {7, -2},
	} {
		bad := formattest.TimeCells(t, times)
		for i := range len(bad) - 1 {
			if bad[i].Known() {
				bad[i].Start, bad[i].Duration = absurd.start, absurd.duration
			}
		}
		r := withTimes(t, path, formattest.TimesOf(bad...))
		if timed := useTimes(t, r, OrderWeight); timed != 0 || r.Status().TimesReason != nil {
			t.Errorf("%+v: %d times, reason %v", absurd, timed, r.Status().TimesReason)
		}
	}
	// The longest possible: their sum overflows.
	bad := formattest.TimeCells(t, times)
	for i := range len(bad) - 1 {
		bad[i].Start, bad[i].Duration = 0, math.MaxInt64
	}
	if timed := useTimes(t, withTimes(t, path, formattest.TimesOf(bad...)), OrderWeight); timed < len(want.events) {
		t.Errorf("%d times, want %d", timed, len(want.events))
	}
}

// TestTimesUnfit: times of another trace, or unreadable ones, are not used,
// and the status has the reason.
func TestTimesUnfit(t *testing.T) {
	path, times := tinyTimed(t, formattest.CrashNone)
	other := formattest.Spec{Shape: formattest.Random, N: 40, Seed: 4, Plain: true, Timed: true}
	foreign, err := os.ReadFile(formattest.File(t, other) + ".tim")
	if err != nil {
		t.Fatal(err)
	}
	cells := formattest.TimeCells(t, times)
	longer := formattest.TimesOf(append(slices.Clone(cells), format.TimeCell{})...)
	shifted := formattest.TimesOf(append(slices.Clone(cells[:1]), cells[:len(cells)-1]...)...)
	for name, bad := range map[string][]byte{"of another trace": foreign, "longer": longer, "shifted": shifted,
		"an index": append(format.AppendIndexHeader(nil, format.V22), times...), "empty": {}} {
		r := withTimes(t, path, bad)
		useTimes(t, r, OrderWeight)
		st := r.Status()
		if _, ok := r.Times(); ok || st.TimesReason == nil || !strings.Contains(st.TimesReason.Error(), path+".tim") {
			t.Errorf("%s: times %v, reason %v", name, ok, st.TimesReason)
		}
		if timed := useTimes(t, r, OrderWeight); timed != 0 {
			t.Errorf("%s: %d times", name, timed)
		}
	}
	if err := os.Remove(path + ".tim"); err != nil {
		t.Fatal(err)
	}
	r := ready(t, path, Options{NoWrite: true})
	if _, ok := r.Times(); ok || r.Status().TimesReason != nil || useTimes(t, r, OrderWeight) != 0 {
		t.Errorf("without times: reason %v", r.Status().TimesReason)
	}
	if err := os.Mkdir(path+".tim", 0o755); err != nil {
		t.Fatal(err)
	}
	if r := ready(t, path, Options{NoWrite: true}); !errors.Is(r.Status().TimesReason, format.ErrNotTrace) {
		t.Errorf("a directory: reason %v", r.Status().TimesReason)
	}
}

// TestTimesNone: a trace whose file of times has cells, but no time, is one without times; not if the file
// grows and has some then.
func TestTimesNone(t *testing.T) {
	path, written := tinyTimed(t, formattest.CrashLost)
	known := formattest.TimeCells(t, written)
	unknown := slices.Clone(known)
	for i := range unknown {
		unknown[i].Duration = format.NoDuration
	}
	none := formattest.TimesOf(unknown...)
	r := withTimes(t, path, none)
	if _, ok := r.Times(); ok || r.Status().TimesReason != nil || useTimes(t, r, OrderWeight) != 0 || r.TimesSize() != 0 {
		t.Errorf("times %v, reason %v", ok, r.Status().TimesReason)
	}
	if _, err := VerifyTimes(t.Context(), path, "", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("verified: %v", err)
	}
	name := path + ".tim"
	half := formattest.TimesOf(unknown[:2]...)
	for _, c := range []struct {
		cells  []byte
		usable bool
	}{{half[:format.TimesHeaderSize], true}, {half, false}, {none, false}, {formattest.TimesOf(append(unknown[:2:2], known[2:]...)...), true}, {written, true}} {
		var before *times.File
		for _, b := range [][]byte{half, c.cells} {
			if err := os.WriteFile(name, b, 0o644); err != nil {
				t.Fatal(err)
			}
			s, err := times.Open(name, before)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Mapped().Unmap()
			before = s
		}
		if before.Usable() != c.usable {
			t.Errorf("%d bytes: usable %v", len(c.cells), !c.usable)
		}
	}
}

// TestTimesOfAnotherRun: times that have as many cells as the trace, but of calls in another order, as those of
// another run of the program, are not used from the begin: no time is shown before a wrong one is met.
func TestTimesOfAnotherRun(t *testing.T) {
	for _, n := range []int{300, 60_000} {
		for _, dump := range []bool{false, true} {
			for _, indexed := range []bool{false, true} {
				spec := formattest.Spec{Shape: formattest.Calls, N: n, Threads: 3, Timed: true}
				spec.Dump = dump
				path := formattest.File(t, spec)
				cells, err := os.ReadFile(path + ".tim")
				if err != nil {
					t.Fatal(err)
				}
				if !indexed {
					if err := os.Remove(path + ".idx"); err != nil {
						t.Fatal(err)
					}
				}
				if _, ok := ready(t, path, Options{NoWrite: true}).Times(); !ok {
					t.Fatalf("%d calls, dump %v, index %v: its own times are not used", n, dump, indexed)
				}
				list := formattest.TimeCells(t, cells)
				moved := list[len(list)/3 : len(list)-1]
				first := moved[0]
				copy(moved, moved[1:])
				moved[len(moved)-1] = first
				r := withTimes(t, path, formattest.TimesOf(list...))
				if _, ok := r.Times(); ok || !errors.Is(r.Status().TimesReason, times.ErrUnfit) {
					t.Errorf("%d calls, dump %v, index %v: times %v, reason %v", n, dump, indexed, ok, r.Status().TimesReason)
				}
			}
		}
	}
}
