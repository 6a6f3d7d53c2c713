package service

import (
	"errors"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// set tells a program how to behave, before it is asked for anything.
func (p *program) set(noFlush, mute bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noFlush, p.mute = noFlush, mute
}

// sync returns when the service has done what came from the consumer so far.
func (c *reader) sync() {
	c.t.Helper()
	c.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
}

// sync returns when the service has done what came from the program so far.
func (p *program) sync() {
	p.t.Helper()
	p.invoke("Sync", &messages.SyncRequest{}, nil)
}

// state returns the state that consumers are told of the session.
func (c *reader) state(id uint64) string {
	c.t.Helper()
	var answer messages.QueryServiceStateResponse
	c.invoke("QueryServiceState", &messages.QueryServiceStateRequest{SessionsOnly: proto.Bool(true)}, &answer)
	for _, n := range answer.ServiceState.TracingSessions {
		if n.GetId() == id {
			return n.GetState()
		}
	}
	return "none"
}

// TestClearState has a session ask from time to time that state be cleared, of
// those that can alone.
func TestClearState(t *testing.T) {
	s, clock := serveAt(t, Config{})
	plain := offer("plain")
	plain.HandlesIncrementalStateClear = nil
	p := connect(t, s, "prog", offer("words"), plain)
	c := consume(t, s)
	cfg := config(64, "words", "plain")
	cfg.IncrementalStateConfig = &messages.TraceConfig_IncrementalStateConfig{ClearPeriodMs: proto.Uint32(500)}
	c.enable(cfg)
	p.waitFor("start 2")
	clock.pass(499 * time.Millisecond)
	p.hasNot("clear [1]")
	clock.pass(time.Millisecond)
	p.waitFor("clear [1]")
	clock.pass(500 * time.Millisecond)
	p.waitForAll("clear [1]", 2)
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	c.end()
	clock.pass(5 * time.Second)
	p.sync()
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(slices.DeleteFunc(slices.Clone(p.heard), func(h string) bool { return h != "clear [1]" })); n != 2 {
		t.Errorf("it heard it %d times", n)
	}
}

// TestFlushTimeout has a program that does not answer a flush: its consumer hears
// so when the time is up, and has what the program wrote all the same.
func TestFlushTimeout(t *testing.T) {
	for _, of := range []struct{ asked, configured, want uint32 }{{0, 0, 5000}, {0, 700, 700}, {100, 700, 100}} {
		s, clock := serveAt(t, Config{})
		p := connect(t, s, "prog", offer("words"))
		p.set(true, false)
		c := consume(t, s)
		cfg := config(64, "words")
		cfg.FlushTimeoutMs = proto.Uint32(of.configured)
		c.enable(cfg)
		p.waitFor("start 1")
		p.write(1, "one")
		p.sync()
		done := make(chan error, 1)
		err := c.Call("Flush", &messages.FlushRequest{TimeoutMs: proto.Uint32(of.asked)}, func(r ipc.Reply) { done <- r.Err })
		if err != nil {
			t.Fatal(err)
		}
		p.waitFor("flush [1]")
		clock.pass(time.Duration(of.want-1) * time.Millisecond)
		c.sync()
		if len(done) > 0 {
			t.Errorf("%+v: it was answered too early", of)
		}
		clock.pass(time.Millisecond)
		if err := wait(t.Context(), done); !errors.Is(err, ipc.ErrRejected) {
			t.Errorf("%+v: answered %v", of, err)
		}
		c.reads("!one")
		var stats messages.GetTraceStatsResponse
		c.invoke("GetTraceStats", &messages.GetTraceStatsRequest{}, &stats)
		if m := stats.TraceStats; m.GetFlushesRequested() != 1 || m.GetFlushesFailed() != 1 || m.GetFlushesSucceeded() != 0 {
			t.Errorf("%+v: counted %v", of, m)
		}
	}
}

// TestStopTimeout has a data source that never says that it has stopped.
func TestStopTimeout(t *testing.T) {
	for _, of := range []struct{ configured, want uint32 }{{0, 5000}, {1500, 1500}} {
		s, clock := serveAt(t, Config{})
		p := connect(t, s, "prog", offer("words"))
		p.set(false, true)
		c := consume(t, s)
		cfg := config(64, "words")
		cfg.DataSourceStopTimeoutMs = proto.Uint32(of.configured)
		c.enable(cfg)
		p.waitFor("start 1")
		c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
		p.waitFor("stop 1")
		clock.pass(time.Duration(of.want-1) * time.Millisecond)
		if got := c.state(1); got != "STOP_WAIT" {
			t.Errorf("%+v: the session is %s", of, got)
		}
		clock.pass(time.Millisecond)
		if got := c.state(1); got != "DISABLED" {
			t.Errorf("%+v: the session is %s", of, got)
		}
		if why := c.end(); why != "" {
			t.Error(why)
		}
	}
}

// TestSnapshots has a trace read in parts: each has what a reader needs that
// begins there, once a period.
func TestSnapshots(t *testing.T) {
	s, clock := serveAt(t, Config{})
	c := consume(t, s)
	cfg := config(64)
	cfg.BuiltinDataSources = &messages.TraceConfig_BuiltinDataSource{SnapshotIntervalMs: proto.Uint32(1000)}
	c.enable(cfg)
	for i, want := range []int{1, 0, 1, 0} {
		markers, stats := 0, 0
		for _, p := range c.read() {
			if p.GetSynchronizationMarker() != nil {
				markers++
			}
			if p.GetTraceStats() != nil {
				stats++
			}
		}
		if markers != want || stats != want {
			t.Errorf("the %dth time there are %d markers and %d stats", i, markers, stats)
		}
		if i == 1 {
			clock.pass(999 * time.Millisecond)
			for _, p := range c.read() {
				if p.GetSynchronizationMarker() != nil {
					t.Error("there is a marker too early")
				}
			}
			clock.pass(time.Millisecond)
		}
	}
}

// TestAsleep has sessions whose duration, or the period of whose snapshots, goes
// on, or not, while the machine sleeps.
func TestAsleep(t *testing.T) {
	for want, change := range map[time.Duration]func(*messages.TraceConfig){
		0:                       func(*messages.TraceConfig) {},
		1234 * time.Millisecond: func(c *messages.TraceConfig) { c.PreferSuspendClockForDuration = proto.Bool(true) },
		1000 * time.Millisecond: func(c *messages.TraceConfig) { c.BuiltinDataSources.PreferSuspendClockForSnapshot = proto.Bool(true) },
	} {
		s, clock := serveAt(t, Config{})
		c := consume(t, s)
		cfg := config(64)
		cfg.DurationMs = proto.Uint32(1234)
		cfg.BuiltinDataSources = &messages.TraceConfig_BuiltinDataSource{SnapshotIntervalMs: proto.Uint32(1000)}
		change(cfg)
		c.enable(cfg)
		c.sync()
		clock.mu.Lock()
		if got := append(clock.asleep, 0)[0]; got != want || len(clock.asleep) > 1 {
			t.Errorf("%v, want %v", clock.asleep, want)
		}
		clock.mu.Unlock()
		clock.pass(1234 * time.Millisecond)
		if why := c.end(); why != "" {
			t.Error(why)
		}
	}
	fired := make(chan bool, 2)
	stop := systemClock{}.afterAsleep(24*time.Hour, func() { fired <- false })
	stop()
	systemClock{}.afterAsleep(time.Millisecond, func() { fired <- true })
	if !<-fired {
		t.Error("it was stopped, and fired")
	}
}

// TestBuiltinsOff has a trace without what the service adds to it, as far as its
// config can say so.
func TestBuiltinsOff(t *testing.T) {
	kinds := func(b *messages.TraceConfig_BuiltinDataSource) (list []string) {
		s, clock := serveAt(t, Config{})
		p := connect(t, s, "prog", offer("words"))
		c := consume(t, s)
		cfg := awaiting(messages.TraceConfig_TriggerConfig_STOP_TRACING, "halt", 1)
		cfg.BuiltinDataSources = b
		c.enable(cfg)
		p.waitFor("start 1")
		p.write(1, "one")
		c.flush()
		p.activate("halt")
		clock.pass(time.Second)
		c.end()
		for _, p := range c.read() {
			m := p.ProtoReflect()
			kind := string(m.WhichOneof(m.Descriptor().Oneofs().ByName("data")).Name())
			if b := p.GetClockSnapshot(); b != nil {
				kind += " " + b.GetPrimaryTraceClock().String()
			}
			if !slices.Contains(list, kind) {
				list = append(list, kind)
			}
		}
		return list
	}
	if got, want := kinds(&messages.TraceConfig_BuiltinDataSource{PrimaryTraceClock: messages.BuiltinClock_BUILTIN_CLOCK_MONOTONIC.Enum()}), []string{
		"clock_snapshot BUILTIN_CLOCK_MONOTONIC", "synchronization_marker", "trace_config", "trigger", "trace_uuid", "trace_provenance",
		"system_info", "for_testing", "trace_stats",
	}; !slices.Equal(got, want) {
		t.Errorf("by default\n%q, want\n%q", got, want)
	}
	if got, want := kinds(&messages.TraceConfig_BuiltinDataSource{
		DisableClockSnapshotting: proto.Bool(true), DisableTraceConfig: proto.Bool(true), DisableSystemInfo: proto.Bool(true),
		DisableServiceEvents: proto.Bool(true), DisableChunkUsageHistograms: proto.Bool(true), DisableExtensionDescriptors: proto.Bool(true),
	}), []string{"synchronization_marker", "trace_uuid", "trace_provenance", "for_testing", "trace_stats"}; !slices.Equal(got, want) {
		t.Errorf("without all that\n%q, want\n%q", got, want)
	}
}
