package diff

import (
	"context"
	"os"
	"runtime/debug"
	"sync"
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

// opened opens a trace and waits until it is read.
func opened(tb testing.TB, path string) *lazy.LazyTraceReader {
	tb.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.Close() })
	if err := r.Wait(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return r
}

// traces calls f for traces of all kinds; for a fifth of them under the race detector.
func traces(t *testing.T, f func(t *testing.T, r *lazy.LazyTraceReader)) {
	n := 0
	run := func(name string, path func(t *testing.T) string) {
		if n++; formattest.Race && n%5 != 0 {
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, opened(t, path(t)))
		})
	}
	spec := func(s formattest.Spec) {
		run(s.Name(), func(t *testing.T) string { return formattest.File(t, s) })
	}
	for _, shape := range []formattest.Shape{formattest.Calls, formattest.Deep, formattest.Wide, formattest.WideCalls,
		formattest.WideLeaves, formattest.Threads, formattest.Goroutines, formattest.Random} {
		for _, version := range []format.Version{format.V22, format.V27} {
			spec(formattest.Spec{Shape: shape, N: 500, Seed: uint64(version), Options: formattest.Options{Version: version, BlockSize: 3000}})
		}
	}
	for seed := range uint64(4) {
		spec(formattest.Spec{Shape: formattest.Random, N: 800, Seed: seed, Wild: seed%2 == 1, Structs: seed == 2,
			Options: formattest.Options{BlockSize: 2048, Dump: seed == 3}})
	}
	for _, crash := range []formattest.Crash{formattest.CrashLost, formattest.CrashPartial} {
		for _, shape := range []formattest.Shape{formattest.Calls, formattest.Threads, formattest.Random} {
			spec(formattest.Spec{Shape: shape, N: 1500, Seed: 7, Crash: crash, Options: formattest.Options{BlockSize: 4096}})
		}
	}
	for _, name := range formattest.RecordedNames(t, ".bin") {
		run(name, func(t *testing.T) string { return formattest.Unpack(t, name) })
	}
}

var noted sync.Mutex

// noteMax raises a number that parallel tests share.
func noteMax(most *int, n int) {
	noted.Lock()
	defer noted.Unlock()
	*most = max(*most, n)
}
