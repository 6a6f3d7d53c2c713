package diff

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// tinyThreads makes a trace with many threads that make one call each, with an argument from a number on, but for the last of them,
// which makes some calls.
func tinyThreads(t *testing.T, n int, name func(i int) string, from int64, calls int) *lazy.LazyTraceReader {
	t.Helper()
	var data, index bytes.Buffer
	w := formattest.NewWriter(&data, &index, formattest.Options{BlockSize: 4096})
	event := int32(0)
	for i := range int32(n) {
		to := w.Thread(i)
		if i == 0 {
			to.Reference(format.KindClassDescriptor, 0, &format.ClassDescriptor{Name: "app.Task"})
			to.Reference(format.KindMethodDescriptor, 0, &format.MethodDescriptor{Name: "run", Result: format.Type{Kind: format.TypeVoid}})
		}
		to.Reference(format.KindThreadName, i, &format.ThreadName{Thread: i, Name: name(int(i))})
		times := 1
		if int(i) == n-1 {
			times = calls
		}
		for range times {
			event++
			to.Point(&format.Point{Class: format.ClassCall, Thread: i, Event: event, Diff: format.DiffNone, Location: -1, Target: format.Null(),
				Args: []format.Value{formattest.IntValue(from + int64(i%100))}})
			to.Footer(&format.Footer{Result: format.Value{Kind: format.ValueVoid}})
		}
		w.Done(to)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.bin")
	for name, b := range map[string][]byte{path: data.Bytes(), path + format.IndexSuffix: index.Bytes()} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return opened(t, path)
}

// TestManyThreads: many tiny threads, whatever they are called, are compared, and their diff is not larger than they are.
func TestManyThreads(t *testing.T) {
	n := 20_000
	if testing.Short() || formattest.Race {
		n = 2_000
	}
	for kind, name := range map[string]func(int) string{
		"one pool":       func(i int) string { return fmt.Sprint("pool-1-thread-", i) },
		"many names":     func(i int) string { return fmt.Sprintf("%c%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576) },
		"the same names": func(int) string { return "worker" },
	} {
		t.Run(kind, func(t *testing.T) {
			a, b := tinyThreads(t, n, name, 0, 1), tinyThreads(t, n, name, 0, 2)
			begin := time.Now()
			d := ran(t, a, b, Options{})
			ran := time.Since(begin)
			if c := d.Counts(); c.Added != 1 || c.Differences() != 1 || c.EqualCalls != int64(n) {
				t.Errorf("the counts are %+v", c)
			}
			r, pairs, err := d.Open(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer pairs.Close()
			defer r.Close()
			t.Logf("%v to compare, %v to write", ran, time.Since(begin)-ran)
			was, _ := a.Size()
			if now, _ := r.Size(); now > 2*was {
				t.Errorf("the diff has %d bytes, a trace %d", now, was)
			}
		})
		t.Run(kind+", other arguments", func(t *testing.T) {
			begin := time.Now()
			c := ran(t, tinyThreads(t, n, name, 0, 1), tinyThreads(t, n, name, 1000, 2), Options{}).Counts()
			if c.Edited != int64(n) || c.Added != 1 || c.Differences() != int64(n)+1 {
				t.Errorf("the counts are %+v", c)
			}
			t.Logf("%v to compare", time.Since(begin))
		})
	}
}

// TestEmptyTraces: traces with nothing in them, with themselves and with another.
func TestEmptyTraces(t *testing.T) {
	some := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 30, Seed: 1}))
	list := []*lazy.LazyTraceReader{some}
	for _, version := range []format.Version{format.V22, format.V27} {
		list = append(list, opened(t, formattest.EmptyThreads(t, version, false, "-dn-")), opened(t, formattest.EmptyThreads(t, version, true, "-d")))
		var data, index bytes.Buffer
		if _, err := formattest.NewWriter(&data, &index, formattest.Options{Version: version}).Close(); err != nil {
			t.Fatal(err)
		}
		r := openBytes(t, t.TempDir(), data.Bytes(), index.Bytes())
		if r == nil {
			t.Fatal("an empty trace is not opened")
		}
		t.Cleanup(func() { r.Close() })
		list = append(list, r)
	}
	for _, a := range list {
		for _, b := range list {
			c := projected(t, a, b)
			if a != some && b != some && c.Differences() > 0 {
				t.Errorf("nothing differs from nothing: %+v", c)
			}
		}
	}
}

// TestThreadsTakeLittle bounds what a comparison keeps for each thread: with a million of them, hundreds of bytes for each would
// not fit.
func TestThreadsTakeLittle(t *testing.T) {
	if formattest.Race {
		t.Skip("the race detector takes memory of its own")
	}
	inUse := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	most := func(n int) (most int64) {
		name := func(i int) string { return fmt.Sprint("pool-1-thread-", i) }
		d := New(tinyThreads(t, n, name, 0, 1), tinyThreads(t, n, name, 0, 2), Options{})
		defer d.Close()
		before, told := inUse(), 0
		if err := d.Run(t.Context(), func(done, total int64) {
			if at := int(20 * done / total); at > told {
				told, most = at, max(most, inUse()-before)
			}
		}); err != nil || told < 15 {
			t.Fatalf("told %d times of 20: %v", told, err)
		}
		return most
	}
	const few, many = 30_000, 90_000 // so many that the script is not in memory alone
	per := (most(many) - most(few)) / (many - few)
	t.Logf("%d bytes for each thread", per)
	if per < 20 || per > 110 {
		t.Errorf("%d bytes for each thread, want at most 110", per)
	}
}
