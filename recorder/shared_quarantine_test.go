package recorder_test

import (
	"errors"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// In shared memory too, a thread used by several goroutines ends, and no other: what it had
// recorded is kept, and others continue.
func TestSharedMemoryQuarantine(t *testing.T) { versiontest.EachVersion(t, testSharedMemoryQuarantine) }

func testSharedMemoryQuarantine(t *testing.T) {
	g := startTracing(t, calls.Source, 4<<10)
	t.Setenv(ipc.ProducerVariable, filepath.Join(g.dir, "p"))
	r, err := recorder.Start(recorder.Config{OnError: func(error) {}})
	if err != nil {
		t.Fatal(err)
	}
	m := r.Method(r.Class("C"), "m", recorder.Type{})
	bad, good := r.Thread("bad"), r.Thread("good")
	for range 10 {
		bad.Enter(m, 0, recorder.Null())
		good.Enter(m, 0, recorder.Null())
		bad.Loop(0)
	}
	recorder.FindOut(bad)
	bad.Enter(m, 0, recorder.Null())
	good.Enter(m, 0, recorder.Null())
	good.Exit(recorder.Void())
	saved, _ := r.Flush()
	if err := r.Stop(); !errors.Is(err, recorder.ErrShared) || saved.Misuse != (recorder.Misuse{Shared: 1}) {
		t.Errorf("Stop: %v, counted %+v", err, saved.Misuse)
	}
	path, result := converted(t, g.finish())
	if len(result.Left) > 0 {
		t.Errorf("left out: %+v", result.Left)
	}
	forest := tracetest.Load(t, path)
	tracetest.Verify(t, path, forest)
	n := map[string]int{}
	for _, thread := range forest.Threads {
		var visit func(node eager.Node)
		visit = func(node eager.Node) {
			var p format.Point
			if err := node.Point(&p); err != nil {
				t.Fatal(err)
			}
			n[thread.Name]++
			for child := range node.Children() {
				visit(child)
			}
		}
		for root := range thread.Roots() {
			visit(root)
		}
	}
	if n["good"] != 11 || n["bad"] != 20 {
		t.Errorf("recorded %v", n)
	}
}
