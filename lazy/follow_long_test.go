package lazy

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// inUse returns the size of the heap in use, in bytes.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestFollowLong: following for a long time leaks neither mappings nor goroutines nor
// views; memory grows only with blocks and descriptors.
func TestFollowLong(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Calls, N: 60_000, Seed: 1, Threads: 4}
	spec.BlockSize = 2 << 10
	data, _ := formattest.Bytes(t, spec)
	steps := 2000
	if formattest.Race {
		steps = 100
	}
	w := write(t, filepath.Join(t.TempDir(), "trace.bin"), data)
	w.to(len(data) / steps)
	r := followed(t, w.path, Options{NoWrite: true, Memory: 1 << 20})
	tree := r.Tree(true)
	catchUp(t, r)
	goroutines := runtime.NumGoroutine()
	var half int64
	for i := 1; i < steps; i++ {
		w.to(len(data) / steps * i)
		catchUp(t, r)
		tree.Refresh()
		for _, th := range tree.Threads() {
			tree.Expand(th)
			if gap, ok := tree.LastChild(th); ok && gap.Gap() {
				if err := tree.Load(t.Context(), gap, AtEnd); err != nil {
					t.Fatal(err)
				}
			}
		}
		if i == steps/2 {
			half = inUse()
		}
	}
	grown := inUse() - half
	// Each block takes some 60 bytes, in slices that double.
	if blocks := int64(r.r.Known.Load().Blocks); grown > 1<<20+blocks*120 {
		t.Errorf("%d bytes more on the heap after as many steps again, with %d blocks", grown, blocks)
	}
	noMoreGoroutines(t, goroutines)
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("no list of mappings here: ", err)
	}
	if n := strings.Count(string(maps), w.path); n != 1 {
		t.Errorf("the file is mapped %d times", n)
	}
}

// BenchmarkFollow measures a look at a trace of many threads, one of which has grown.
func BenchmarkFollow(b *testing.B) {
	data, _ := formattest.Bytes(b, formattest.Spec{Shape: formattest.Threads, N: 10_000, Seed: 1})
	path := filepath.Join(b.TempDir(), "trace.bin")
	// The last threads are written while it is followed.
	size := len(data) * 9 / 10
	step := (len(data) - size) / 1000
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(data[:size]); err != nil {
		b.Fatal(err)
	}
	r, err := Open(path, Options{NoWrite: true, Follow: true})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	tree := r.Tree(true)
	for b.Loop() {
		if size+step < len(data) {
			if _, err := f.Write(data[size : size+step]); err != nil {
				b.Fatal(err)
			}
			size += step
		}
		if err := r.CatchUp(b.Context()); err != nil {
			b.Fatal(err)
		}
		tree.Refresh()
	}
}
