package recorder

import (
	"path/filepath"
	"sync"
	"testing"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// stuck is a file whose writes wait.
type stuck struct {
	files.OutFile
	gate *sync.RWMutex
}

func (s stuck) WriteAt(p []byte, at int64) (int, error) {
	s.gate.RLock()
	defer s.gate.RUnlock()
	return s.OutFile.WriteAt(p, at)
}

// If the disk hangs, Drop keeps goroutines going and counts what is missing: the trace has its
// points in the right places, and says where how many are missing.
func TestDrop(t *testing.T) { versiontest.EachVersion(t, testDrop) }

func testDrop(t *testing.T) {
	var gate sync.RWMutex
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), OnFull: Drop, BlockSize: 4 << 10, MaxMemory: 256 << 10, FlushInterval: -1}
	c.create = func(path string) (files.OutFile, error) {
		f, err := files.Create(path)
		return stuck{f, &gate}, err
	}
	r := start(t, c)
	th := r.Thread("main")
	m, v := r.Method(r.Class("C"), "m", Type{}), r.Variable("v", Type{})
	made := int64(0)
	record := func(n int) {
		for i := range n {
			th.Enter(m, 0, Null(), Int(i%7))
			for range i % 7 {
				th.WriteVariable(v, 0, Int(i))
				th.Loop(0)
				th.Iteration(0)
				made += 3
			}
			th.Exit(Void())
			made++
		}
	}
	th.Enter(m, 0, Null(), Int(-1))
	record(10)
	gate.Lock()
	record(5000) // no goroutine waits
	th.Exit(Void())
	gate.Unlock()
	if _, err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	th.Enter(m, 0, Null(), Int(-1))
	record(10)
	th.Exit(Void())
	th.End()
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	made += 2
	var present, noted int64
	roots := 0
	forest := tracetest.LoadChecked(t, c.Path)
	tracetest.Points(t, forest, func(_ *eager.Thread, p *format.Point, depth int) {
		if p.Class == format.ClassVariableWrite && forest.Context.Variable(p.Ref).Name == DroppedVariable {
			noted += p.Value.Bits
			return
		}
		if depth == 0 {
			roots++
			if p.Args[0].Bits != -1 {
				t.Fatalf("call %d at the top", p.Args[0].Bits)
			}
		}
		present++
	})
	saved, _ := r.Flush()
	if saved.Dropped == 0 || noted != saved.Dropped || present+noted != made || roots != 2 {
		t.Fatalf("%d trace points, %d noted as missing, %d counted, %d made; %d roots", present, noted, saved.Dropped, made, roots)
	}
}

// With Drop, the recorder's goroutine writes the last block of each thread that ends.
func TestDropEnds(t *testing.T) { versiontest.EachVersion(t, testDropEnds) }

func testDropEnds(t *testing.T) {
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), OnFull: Drop, FlushInterval: -1}
	r := start(t, c)
	m := r.Method(r.Class("C"), "m", Type{})
	for range 50 {
		th := r.Thread("short")
		th.Enter(m, 0, Null())
		th.End()
		th.Exit(Void()) // too late
		th.Enter(m, 0, Null())
	}
	saved, err := r.Flush()
	if err != nil || saved.Blocks != 50 || saved.Threads != 50 || saved.Dropped != 0 {
		t.Fatalf("%+v, %v", saved, err)
	}
	if r.threads.count() != 0 {
		t.Errorf("%d threads are remembered", r.threads.count())
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	n := 0
	tracetest.Points(t, tracetest.LoadChecked(t, c.Path), func(*eager.Thread, *format.Point, int) { n++ })
	if n != 50 {
		t.Fatalf("%d calls, want 50", n)
	}
}
