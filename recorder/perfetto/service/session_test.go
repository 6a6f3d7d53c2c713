package service

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// TestSession records and reads the packets of a program.
func TestSession(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	events := c.observe(messages.ObservableEvents_TYPE_ALL_DATA_SOURCES_STARTED)
	c.enable(config(1024, "words"))
	p.waitFor("start 1")
	if e := <-events; !e.GetAllDataSourcesStarted() {
		t.Errorf("told %v", e)
	}
	long := strings.Repeat("long ", 50_000)
	p.write(1, "one", "two", long)
	c.invoke("Flush", &messages.FlushRequest{}, nil)
	p.waitFor("flush [1]")
	packets := c.read()
	if got, want := texts(packets), []string{"!one", "two", long}; !slices.Equal(got, want) {
		t.Errorf("read %.100q", got)
	}
	own := packets[0]
	if own.GetTrustedPacketSequenceId() != ownSequence || own.GetClockSnapshot() == nil {
		t.Errorf("first comes %v", own)
	}
	var kinds []string
	for _, p := range packets {
		if p.GetTrustedPacketSequenceId() == ownSequence {
			kinds = append(kinds, string(p.ProtoReflect().WhichOneof(p.ProtoReflect().Descriptor().Oneofs().ByName("data")).Name()))
		} else if p.GetTrustedPacketSequenceId() != 2 || p.GetTrustedPid() == 0 {
			t.Errorf("stamped %d, process %d", p.GetTrustedPacketSequenceId(), p.GetTrustedPid())
		}
	}
	want := []string{"clock_snapshot", "clock_snapshot", "synchronization_marker", "trace_config", "trace_uuid", "trace_provenance",
		"system_info", "trace_stats"}
	if got := slices.Compact(slices.Clone(kinds)); !slices.Equal(got, slices.Compact(slices.Clone(want))) {
		t.Errorf("the service's packets are\n%q, want\n%q", kinds, want)
	}
	checkMarker(t, packets)
	p.write(1, "three")
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	if why := c.end(); why != "" {
		t.Error(why)
	}
	p.waitFor("stop 1")
	// Packets that were not flushed were scraped.
	if got, want := texts(c.read()), []string{"three"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	var stats messages.GetTraceStatsResponse
	c.invoke("GetTraceStats", &messages.GetTraceStatsRequest{}, &stats)
	if st := stats.TraceStats; st.GetFlushesSucceeded() != 1 || st.GetProducersConnected() != 1 || len(st.BufferStats) != 1 ||
		st.BufferStats[0].GetBytesRead() == 0 {
		t.Errorf("%v", st)
	}
	c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	if got := texts(c.read()); got != nil {
		t.Errorf("read %q of a session that is gone", got)
	}
	// Once more, with the existing memory.
	c.enable(config(64, "words"))
	p.waitFor("start 2")
	p.write(2, "again")
	c.invoke("Flush", &messages.FlushRequest{}, nil)
	if got, want := texts(c.read()), []string{"!again"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// TestProgramGone reads the packets of a program that has died.
func TestProgramGone(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	events := c.observe(messages.ObservableEvents_TYPE_DATA_SOURCES_INSTANCES)
	c.enable(config(64, "words"))
	p.waitFor("start 1")
	p.write(1, "one", "two")
	for e := range events {
		if e.InstanceStateChanges[0].GetState() == messages.ObservableEvents_DATA_SOURCE_INSTANCE_STATE_STARTED {
			break
		}
	}
	p.invoke("Sync", &messages.SyncRequest{}, nil)
	p.client.Close()
	for e := range events {
		if e.InstanceStateChanges[0].GetState() == messages.ObservableEvents_DATA_SOURCE_INSTANCE_STATE_STOPPED {
			break
		}
	}
	if got, want := texts(c.read()), []string{"!one", "two"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// checkMarker checks that the synchronization marker has the form that readers
// search for: after the fields that name its writer, and last.
func checkMarker(t *testing.T, packets []*messages.TracePacket) {
	t.Helper()
	for _, p := range packets {
		if m := p.GetSynchronizationMarker(); m != nil {
			if fmt.Sprintf("%x", m) != "82477a76b28d42ba81dc33326d57a079" || p.TimestampClockId != nil || p.GetTrustedPacketSequenceId() != 1 {
				t.Errorf("the marker is %v", p)
			}
			return
		}
	}
	t.Error("there is no marker")
}

// TestIgnored has a config with fields for others: it is accepted, and passed on.
func TestIgnored(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	cfg := config(64, "words")
	cfg.StatsdMetadata = &messages.TraceConfig_StatsdMetadata{TriggeringAlertId: proto.Int64(7)}
	cfg.StatsdLogging = messages.TraceConfig_STATSD_LOGGING_ENABLED.Enum()
	cfg.NotifyTraceur = proto.Bool(true)
	cfg.ActivateTriggers = []string{"of the command"}
	cfg.CmdTraceStartDelay = &messages.TraceConfig_CmdTraceStartDelay{MaxDelayMs: proto.Uint32(60_000)}
	cfg.GuardrailOverrides = &messages.TraceConfig_GuardrailOverrides{MaxUploadPerDayBytes: proto.Uint64(1)}
	// Fields from the future, in the config and in a data source's.
	unknown := protowire.AppendVarint(protowire.AppendTag(nil, 4321, protowire.VarintType), 99)
	cfg.ProtoReflect().SetUnknown(unknown)
	cfg.DataSources[0].Config.ProtoReflect().SetUnknown(unknown)
	c.enable(cfg)
	p.waitFor("start 1")
	p.write(1, "one")
	c.flush()
	packets := c.read()
	if got := texts(packets); !slices.Equal(got, []string{"!one"}) {
		t.Errorf("read %q", got)
	}
	i := slices.IndexFunc(packets, func(p *messages.TracePacket) bool { return p.GetTraceConfig() != nil })
	if i < 0 || !proto.Equal(packets[i].GetTraceConfig(), cfg) {
		t.Error("the config is not in the trace as it was")
	}
	s.lock()
	defer s.unlock()
	if got := s.sessions[1].instances[0].config.ProtoReflect().GetUnknown(); !bytes.Equal(got, unknown) {
		t.Errorf("the data source got %x of what is not known", got)
	}
}

// TestDeferredStart has a session that starts when its consumer asks for it, and
// ends when its time is up.
func TestDeferredStart(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	cfg := config(64, "words")
	cfg.DeferredStart, cfg.DurationMs = proto.Bool(true), proto.Uint32(1000)
	c.enable(cfg)
	p.waitFor("set up 1")
	clock.pass(time.Hour)
	p.hasNot("start 1")
	c.invoke("StartTracing", &messages.StartTracingRequest{}, nil)
	p.waitFor("start 1")
	p.write(1, "one")
	p.invoke("Sync", &messages.SyncRequest{}, nil)
	clock.pass(time.Second)
	if why := c.end(); why != "" {
		t.Error(why)
	}
	c.reads("!one")
}

// TestClearState has a session periodically ask for a state clear, only from sources
// that support it.
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

// TestStopTimeout has a data source that never reports that it has stopped.
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

// TestFreedMeanwhile frees a session whose flush is not answered yet.
func TestFreedMeanwhile(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	p.set(true, false)
	c := consume(t, s)
	c.enable(config(64, "words"))
	p.waitFor("start 1")
	done := make(chan error, 1)
	if err := c.Call("Flush", &messages.FlushRequest{}, func(r ipc.Reply) { done <- r.Err }); err != nil {
		t.Fatal(err)
	}
	p.waitFor("flush [1]")
	c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	if err := wait(t.Context(), done); !errors.Is(err, ipc.ErrRejected) {
		t.Errorf("the flush was answered %v", err)
	}
	if why := c.end(); why != "" {
		t.Error(why)
	}
}

// TestChangeNothing changes configs in ways that are not allowed, or too late.
func TestChangeNothing(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"), offer("more"))
	c := consume(t, s)
	cfg := config(64, "words")
	cfg.DataSources[0].ProducerNameFilter = []string{"prog"}
	c.enable(cfg)
	p.waitFor("start 1")
	change := func(cfg *messages.TraceConfig) {
		c.invoke("ChangeTraceConfig", &messages.ChangeTraceConfigRequest{TraceConfig: cfg}, nil)
	}
	other := config(128, "more")
	other.DurationMs = proto.Uint32(1)
	change(other)
	change(cfg) // already set up
	late := connect(t, s, "late", offer("words"))
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	c.end()
	cfg.DataSources[0].ProducerNameFilter = append(cfg.DataSources[0].ProducerNameFilter, "late")
	change(cfg)
	late.hasNot("set up 2")
	p.hasNot("set up 2")
	s.lock()
	defer s.unlock()
	if got := s.sessions[1].config; got.GetDurationMs() != 0 || got.Buffers[0].GetSizeKb() != 64 {
		t.Errorf("the config is %v", got)
	}
}

// TestAsleep has sessions whose duration, or snapshot period, counts or does not
// count the time that the machine sleeps.
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
