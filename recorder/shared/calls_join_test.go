package shared_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/shared/sharedtest"
)

// TestSharedMemoryJoined begins a second session while calls are open, and ends it before the
// first: each has everything that it can know.
func TestSharedMemoryJoined(t *testing.T) { versiontest.EachVersion(t, testSharedMemoryJoined) }

func testSharedMemoryJoined(t *testing.T) {
	first := sharedtest.Start(t, calls.Source, 1<<10)
	r := start(t, recorder.Config{FlushInterval: -1})
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
	first.Flush()
	second := sharedtest.Join(t, first.Dir, calls.Source, 1<<10, nil)
	second.Flush() // it has begun, also in the program
	enter(thread, "c")
	thread.Exit(recorder.Int(1))
	thread.Exit(recorder.Int(2))
	joined := second.Finish()
	enter(thread, "d")
	thread.Exit(recorder.Int(3))
	thread.End() // and with it a
	stop(t, r)
	for _, c := range []struct {
		name    string
		packets []*messages.TracePacket
		want    map[string]int
	}{
		{"first", first.Finish(), map[string]int{"thread": 5, "early": 1}},
		{"second", joined, map[string]int{"thread": 3}}, // a, b and c
	} {
		path, result := sharedtest.Convert(t, c.packets)
		if len(result.LeftOut) > 0 {
			t.Errorf("%s: left out: %+v", c.name, result.LeftOut)
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
	g := sharedtest.Start(t, "another", 1<<10)
	r := start(t, recorder.Config{FlushInterval: -1})
	cleared := sharedtest.Join(t, g.Dir, calls.Source, 1<<10, func(c *messages.TraceConfig) {
		c.IncrementalStateConfig = &messages.TraceConfig_IncrementalStateConfig{ClearPeriodMs: proto.Uint32(10)}
	})
	cleared.Flush()
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
		cleared.Flush()
		now := cleared.Read()
		packets = append(packets, now...)
		for _, p := range sharedtest.PartsOf(t, now) {
			if p.Whole && len(p.Open) > 0 {
				again++
			}
			if len(p.References) > 0 {
				names++
			}
		}
	}
	thread.End()
	stop(t, r)
	path, result := sharedtest.Convert(t, append(packets, cleared.Finish()...))
	forest := tracetest.Load(t, path)
	if len(result.LeftOut) > 0 || len(forest.Threads) != 1 || int64(forest.Threads[0].Points()) != result.Events {
		t.Errorf("%+v", result)
	}
}
