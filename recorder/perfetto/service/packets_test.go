package service

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// TestSnapshots reads a trace in parts: once a period, a part has all that a reader
// needs to begin there.
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

// TestBuiltinsOff has a trace without the service's own packets, as far as its
// config can turn them off.
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

// A snapshot is kept if a clock advanced by a different amount than the boot time.
func TestDrift(t *testing.T) {
	ids := []messages.BuiltinClock{
		messages.BuiltinClock_BUILTIN_CLOCK_BOOTTIME, messages.BuiltinClock_BUILTIN_CLOCK_REALTIME,
		messages.BuiltinClock_BUILTIN_CLOCK_MONOTONIC,
	}
	snapshot := func(times ...uint64) *messages.ClockSnapshot {
		c := new(messages.ClockSnapshot)
		for i, at := range times {
			c.Clocks = append(c.Clocks, &messages.ClockSnapshot_Clock{
				ClockId: proto.Uint32(uint32(ids[i])), Timestamp: proto.Uint64(at),
			})
		}
		return c
	}
	const ms = 1_000_000
	first := snapshot(100*ms, 500*ms, 7*ms)
	for _, test := range []struct {
		name string
		now  *messages.ClockSnapshot
		want bool
	}{
		{"all as one", snapshot(200*ms, 600*ms, 107*ms), false},
		{"less than 10 ms", snapshot(200*ms, 609*ms, 98*ms), false},
		{"the wall clock was set", snapshot(200*ms, 610*ms, 107*ms), true},
		{"and back", snapshot(200*ms, 590*ms, 107*ms), true},
		{"another clock drifts", snapshot(200*ms, 600*ms, 207*ms), true},
		{"another number of clocks", snapshot(200*ms, 600*ms), true},
	} {
		if got := drifted(first, test.now); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
