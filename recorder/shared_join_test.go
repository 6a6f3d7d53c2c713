package recorder_test

import (
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/messages"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// TestSharedMemoryJoined begins a second session while calls are open, and ends it before the
// first: each has everything that it can know.
func TestSharedMemoryJoined(t *testing.T) { versiontest.EachVersion(t, testSharedMemoryJoined) }

func testSharedMemoryJoined(t *testing.T) {
	first := startTracing(t, calls.Source, 1<<10)
	t.Setenv(ipc.ProducerVariable, filepath.Join(first.dir, "p"))
	r := first.startShared(recorder.Config{FlushInterval: -1})
	class := r.Class("Class")
	enter := func(thread *recorder.Thread, name string) {
		thread.Enter(r.Method(class, name, recorder.ObjectType("T")), 0, recorder.Null())
	}
	thread, early := r.Thread("thread"), r.Thread("early")
	enter(early, "gone")
	early.Exit(recorder.Void())
	early.End()
	enter(thread, "a")
	enter(thread, "b")
	enter(thread, "before")
	thread.Exit(recorder.Void())
	first.flush()
	second := session(t, first.dir, calls.Source, 1<<10, nil)
	second.flush() // it has begun, also in the program
	enter(thread, "c")
	thread.Exit(recorder.Int(1))
	thread.Exit(recorder.Int(2))
	joined := second.finish()
	enter(thread, "d")
	thread.Exit(recorder.Int(3))
	thread.End() // and with it a
	first.stopShared(r)
	for _, c := range []struct {
		name    string
		packets []*messages.TracePacket
		want    map[string]int
	}{
		{"first", first.finish(), map[string]int{"thread": 5, "early": 1}},
		{"second", joined, map[string]int{"thread": 3}}, // a, b and c
	} {
		path, result := converted(t, c.packets)
		if len(result.Left) > 0 {
			t.Errorf("%s: left out: %+v", c.name, result.Left)
		}
		forest := tracetest.Load(t, path)
		tracetest.Verify(t, path, forest)
		got := map[string]int{}
		for _, thread := range forest.Threads {
			got[thread.Name] = thread.Points()
		}
		if len(got) != len(c.want) || got["thread"] != c.want["thread"] || got["early"] != c.want["early"] {
			t.Errorf("the %s session has %v, want %v", c.name, got, c.want)
		}
	}
}

// TestSharedMemoryCleared has the service clear the incremental state: what is open, and all
// names, are sent again.
func TestSharedMemoryCleared(t *testing.T) { versiontest.EachVersion(t, testSharedMemoryCleared) }

func testSharedMemoryCleared(t *testing.T) {
	g := startTracing(t, "another", 1<<10)
	t.Setenv(ipc.ProducerVariable, filepath.Join(g.dir, "p"))
	r := g.startShared(recorder.Config{FlushInterval: -1})
	cleared := session(t, g.dir, calls.Source, 1<<10, func(c *messages.TraceConfig) {
		c.IncrementalStateConfig = &messages.TraceConfig_IncrementalStateConfig{ClearPeriodMs: proto.Uint32(10)}
	})
	cleared.flush()
	m := r.Method(r.Class("Class"), "method", recorder.ObjectType("T"))
	thread := r.Thread("thread")
	thread.Enter(m, 0, recorder.Null())
	var packets []*messages.TracePacket
	again, names := 0, 0
	limit := time.Now().Add(time.Minute)
	for again < 2 || names < 3 {
		if time.Now().After(limit) {
			t.Fatal("nothing is said again")
		}
		thread.Enter(m, 0, recorder.Null())
		thread.Exit(recorder.Void())
		cleared.flush()
		now := cleared.read()
		packets = append(packets, now...)
		for _, p := range partsOf(t, now) {
			if p.Whole && len(p.Open) > 0 {
				again++
			}
			if len(p.References) > 0 {
				names++
			}
		}
	}
	thread.End()
	g.stopShared(r)
	path, result := converted(t, append(packets, cleared.finish()...))
	forest := tracetest.Load(t, path)
	if len(result.Left) > 0 || len(forest.Threads) != 1 || int64(forest.Threads[0].Points()) != result.Events {
		t.Errorf("%+v", result)
	}
}
