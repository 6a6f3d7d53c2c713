package query

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// TestMain makes the garbage collector run less often: the tests open many small readers.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(512 << 20)
	}
	os.Exit(m.Run())
}

// shares are sizes of parts, in bytes: 0 for the usual.
var shares = [...]int64{0, 150, 1000, 7000}

// sharesOf returns those that cut a trace into at most so many parts: each part takes long to begin. With the race
// detector it is at most 60.
func sharesOf(r *lazy.LazyTraceReader, most int64) (list []int64) {
	size, _ := r.Size()
	if formattest.Race {
		most = min(most, 60)
	}
	for _, share := range shares {
		if share == 0 || size/share <= most {
			list = append(list, share)
		}
	}
	return list
}

// opened opens a trace and waits until it is read.
func opened(tb testing.TB, path string) *lazy.LazyTraceReader {
	tb.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true, Memory: 1 << 30})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.Close() })
	if err := r.Wait(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return r
}

// traces calls f for traces of all kinds, in parallel; for a fifth of them under the race
// detector.
func traces(t *testing.T, f func(t *testing.T, r *lazy.LazyTraceReader)) {
	n := 0
	run := func(name string, path func(t *testing.T) string) {
		if n++; formattest.Race && n%5 != 0 {
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, opened(t, formattest.Small(t, path(t))))
		})
	}
	size := 700
	if formattest.Race {
		size = 250
	}
	for _, shape := range []formattest.Shape{formattest.Calls, formattest.Deep, formattest.Wide, formattest.WideCalls,
		formattest.WideLeaves, formattest.Threads, formattest.Goroutines, formattest.Random} {
		for i, version := range []format.Version{format.V22, format.V27} {
			for _, timed := range []bool{false, true} {
				spec := formattest.Spec{Shape: shape, N: size, Seed: uint64(3 + i), Timed: timed,
					Options: formattest.Options{Version: version, BlockSize: 3000}}
				run(spec.Name(), func(t *testing.T) string { return formattest.File(t, spec) })
			}
		}
	}
	for seed := range uint64(6) {
		spec := formattest.Spec{Shape: formattest.Random, N: 1500, Seed: seed, Wild: seed%2 == 1, Timed: seed%3 == 0, Structs: seed%3 == 2,
			Options: formattest.Options{BlockSize: 2048}}
		run(spec.Name(), func(t *testing.T) string { return formattest.File(t, spec) })
	}
	for _, crash := range []formattest.Crash{formattest.CrashLost, formattest.CrashPartial} {
		for _, timed := range []bool{false, true} {
			for _, shape := range []formattest.Shape{formattest.Calls, formattest.Threads, formattest.Random} {
				spec := formattest.Spec{Shape: shape, N: 1500, Seed: 7, Crash: crash, Timed: timed, Options: formattest.Options{BlockSize: 4096}}
				run(spec.Name(), func(t *testing.T) string { return formattest.File(t, spec) })
			}
		}
	}
	for _, name := range formattest.RecordedNames(t, ".bin") {
		run(name, func(t *testing.T) string { return formattest.Unpack(t, name) })
	}
}

// node is a node of a tree in memory.
type node struct {
	class          format.Class
	ref, location  int32
	thread, event  int32
	threw, unended bool
	exception      string // of a call that threw, a throw or a catch
	time           lazy.Time
	timed          bool
	points         int64 // it and those below it
	at             lazy.Position
	depth          int  // number of nodes around it
	match          bool // it matches the filter of a test
	parent         *node
	kids           []*node

	// What steps did to a point, and what they did to a call.
	fate            hiding
	gone            int64 // ns: of what is dropped below it
	merged, dropped int64
}

// forest loads the tree of a trace: the roots of its threads.
func forest(t *testing.T, r *lazy.LazyTraceReader, raw bool) (roots []*node) {
	tree := r.Tree(!raw)
	for _, th := range tree.Threads() {
		if _, complete, err := tree.ExpandAll(t.Context(), th, 0, 1<<40, nil); err != nil || !complete {
			t.Fatalf("expanded %v: %v", complete, err)
		}
	}
	nodes := make(map[*lazy.Node]*node)
	for row, ok := tree.First(); ok; row, ok = tree.Next(row) {
		n := row.Node
		if n == nil {
			t.Fatal("a gap")
		}
		if n.IsThread() {
			continue
		}
		p := n.Point()
		x := &node{class: p.Class, ref: p.Ref, location: p.Location, thread: n.Thread(), event: p.Event, parent: nodes[n.Parent()], at: n.Position()}
		if p.Class.Container() {
			f := n.Footer()
			x.threw, x.exception, x.unended = f.Threw || f.Exception != "", f.Exception, n.State() != lazy.StateWhole
			x.time, x.timed = n.Time()
		}
		if p.Class == format.ClassThrow || p.Class == format.ClassCatch {
			r.WithContext(func(c *format.Context) { x.exception = ThrownClass(c, &p.Value) })
		}
		nodes[n] = x
		if x.parent != nil {
			x.parent.kids, x.depth = append(x.parent.kids, x), x.parent.depth+1
		} else {
			roots = append(roots, x)
		}
		for up := x; up != nil; up = up.parent {
			up.points++
		}
	}
	return roots
}

// calls returns the calls directly in nodes: loops and iterations are transparent.
func calls(list []*node) (out []*node) {
	for _, n := range list {
		if n.class == format.ClassCall {
			out = append(out, n)
		} else {
			out = append(out, calls(n.kids)...)
		}
	}
	return out
}

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with that in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	formattest.SameText(t, got, want)
}

// shop unpacks the trace of the demo, which has times, and returns its path.
func shop(t *testing.T) string { return formattest.Demo(t) }

// kotlin opens a real trace with much that folding hides.
func kotlin(t *testing.T) *lazy.LazyTraceReader {
	return opened(t, formattest.Unpack(t, "kotlin.stream.bin"))
}
