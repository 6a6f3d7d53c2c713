package service

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// TestRefusals asks for what cannot be, in the words of the real service.
func TestRefusals(t *testing.T) {
	type conf = messages.TraceConfig
	const stop, clone = messages.TraceConfig_TriggerConfig_STOP_TRACING, messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT
	const day = 24 * 3600 * 1000
	source := func(c *conf) *messages.DataSourceConfig { return c.DataSources[0].Config }
	for want, change := range map[string]func(c *conf){
		"Requested too long trace (604800001ms  > 604800000 ms)": func(c *conf) { c.DurationMs = proto.Uint32(7*day + 1) },
		"must provide a positive trigger_timeout_ms < 7 days (received 0ms)": func(c *conf) {
			c.TriggerConfig = awaiting(stop, "x", 1).TriggerConfig
			c.TriggerConfig.TriggerTimeoutMs = nil
		},
		"The trace config specified an invalid trigger_mode": func(c *conf) { c.TriggerConfig = awaiting(9, "x", 1).TriggerConfig },
		"trigger_mode must be STOP_TRACING when use_clone_snapshot_if_available=true": func(c *conf) {
			c.TriggerConfig = awaiting(clone, "x", 1).TriggerConfig
			c.TriggerConfig.UseCloneSnapshotIfAvailable = proto.Bool(true)
		},
		"duration_ms was set, this must not be set for traces with triggers.": func(c *conf) {
			c.TriggerConfig, c.DurationMs = awaiting(stop, "x", 1).TriggerConfig, proto.Uint32(1)
		},
		"STOP_TRACING/CLONE_SNAPSHOT and write_into_file together is unsupported": func(c *conf) {
			c.TriggerConfig, c.WriteIntoFile = awaiting(clone, "x", 1).TriggerConfig, proto.Bool(true)
		},
		"Duplicate trigger name: x": func(c *conf) {
			c.TriggerConfig = awaiting(stop, "x", 1).TriggerConfig
			c.TriggerConfig.Triggers = append(c.TriggerConfig.Triggers, c.TriggerConfig.Triggers...)
		},
		"Too many buffers configured (129)": func(c *conf) {
			for len(c.Buffers) < 129 {
				c.Buffers = append(c.Buffers, &messages.TraceConfig_BufferConfig{SizeKb: proto.Uint32(4)})
			}
		},
		`Duplicate buffer name "b" at index 2 (first occurrence at index 1)`: func(c *conf) {
			b := &messages.TraceConfig_BufferConfig{SizeKb: proto.Uint32(4), Name: proto.String("b")}
			c.Buffers = append(c.Buffers, b, b)
		},
		`specified target_buffer_name "none" which does not match any buffer`: func(c *conf) { source(c).TargetBufferName = proto.String("none") },
		`both target_buffer=1 and target_buffer_name="b" (index 0) but they don't match`: func(c *conf) {
			c.Buffers[0].Name, source(c).TargetBufferName, source(c).TargetBuffer = proto.String("b"), proto.String("b"), proto.Uint32(1)
		},
		`Data source "words" specified an out of bounds target_buffer (4294967295 >= 1)`: func(c *conf) { source(c).TargetBuffer = proto.Uint32(1<<32 - 1) },
		"trace_filter is not supported":                               func(c *conf) { c.TraceFilter = new(messages.TraceConfig_TraceFilter) },
		"Failed to boost priority: it is not supported":               func(c *conf) { c.PriorityBoost = new(messages.PriorityBoostConfig) },
		"Failed to allocate tracing buffers: Invalid buffer sizes":    func(c *conf) { c.Buffers[0].SizeKb = proto.Uint32(1<<32 - 1) },
		"Failed to allocate tracing buffers: OOM or too many buffers": func(c *conf) { c.Buffers[0].SizeKb = proto.Uint32(2 << 20) },
		"Failed to create the trace file /none/of/these": func(c *conf) {
			c.WriteIntoFile, c.OutputPath = proto.Bool(true), proto.String("/none/of/these")
		},
		"exclusive_prio is not supported":     func(c *conf) { c.ExclusivePrio = proto.Uint32(1) },
		"lockdown_mode is not supported":      func(c *conf) { c.LockdownMode = messages.TraceConfig_LOCKDOWN_SET.Enum() },
		"session_semaphores is not supported": func(c *conf) { c.SessionSemaphores = []*messages.TraceConfig_SessionSemaphore{{}} },
		"buffers.experimental_mode TRACE_BUFFER_V2 is not supported": func(c *conf) {
			c.Buffers[0].ExperimentalMode = messages.TraceConfig_BufferConfig_TRACE_BUFFER_V2.Enum()
		},
		"skip_probability of a trigger is not supported": func(c *conf) {
			c.TriggerConfig = awaiting(stop, "x", 1).TriggerConfig
			c.TriggerConfig.Triggers[0].SkipProbability = proto.Float64(0.1)
		},
		"max_per_24_h of a trigger is not supported": func(c *conf) {
			c.TriggerConfig = awaiting(stop, "x", 1).TriggerConfig
			c.TriggerConfig.Triggers[0].MaxPer_24H = proto.Uint32(3)
		},
	} {
		t.Run("", func(t *testing.T) { // in a folder whose name is good for an address
			s := serve(t, Config{Limits: Limits{Buffers: 1 << 30}, OnError: func(error) {}})
			first, c := consume(t, s), consume(t, s)
			first.enable(config(4))
			first.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
			cfg := config(64, "words")
			change(cfg)
			c.enable(cfg)
			if got := c.end(); !strings.Contains(got, want) {
				t.Errorf("refused with %q, want %q", got, want)
			}
			s.lock()
			defer s.unlock()
			if len(s.sessions) != 1 || s.buffers.bytes != 4<<10 {
				t.Errorf("%d sessions, %d bytes of buffers are left", len(s.sessions), s.buffers.bytes)
			}
		})
	}
}

// TestTooMany has one user start more sessions than it may.
func TestTooMany(t *testing.T) {
	full := serve(t, Config{})
	for range maxSessionsOfUser {
		c := consume(t, full)
		c.enable(config(4))
		c.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
	}
	c := consume(t, full)
	c.enable(config(4))
	if why := c.end(); !strings.Contains(why, "Too many concurrent tracing sesions (5) for uid") {
		t.Error(why)
	}
}

// TestObserve hears of every change, those of one moment together, and ends to.
func TestObserve(t *testing.T) {
	s := serve(t, Config{})
	plain := &messages.DataSourceDescriptor{Name: proto.String("plain")}
	p := connect(t, s, "prog", offer("words"), plain)
	c := consume(t, s)
	const all = messages.ObservableEvents_TYPE_DATA_SOURCES_INSTANCES | messages.ObservableEvents_TYPE_ALL_DATA_SOURCES_STARTED
	events := c.observe(all)
	cfg := config(64, "words", "plain")
	cfg.DeferredStart = proto.Bool(true)
	c.enable(cfg)
	next := func(want string) {
		t.Helper()
		e, got := <-events, ""
		for _, i := range e.InstanceStateChanges {
			got += fmt.Sprint(i.GetProducerName(), " ", i.GetDataSourceName(), " ", int(i.GetState()-1), "; ")
		}
		if e.GetAllDataSourcesStarted() {
			got += "all"
		}
		if got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	next("prog words 0; prog plain 0; ")
	c.invoke("StartTracing", &messages.StartTracingRequest{}, nil)
	next("prog plain 1; ")
	next("prog words 1; all")
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	next("prog plain 0; ")
	next("prog words 0; ")
	p.waitFor("stop 2")
	// Another look begins with the states; and one at nothing ends.
	events = c.observe(all)
	next("prog words 0; prog plain 0; ")
	ended := make(chan error, 1)
	if err := c.Call("ObserveEvents", &messages.ObserveEventsRequest{}, func(r ipc.Reply) { ended <- r.Err }); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("looking at nothing goes on")
	}
}

// TestQueryPieces asks for a state that takes more than one frame.
func TestQueryPieces(t *testing.T) {
	s := serve(t, Config{})
	const sources = 30
	var list []*messages.DataSourceDescriptor
	for i := range sources {
		d := offer(fmt.Sprintf("source %02d", sources-1-i))
		d.TrackEventDescriptor = &messages.TrackEventDescriptor{AvailableCategories: []*messages.TrackEventCategory{
			{Name: proto.String(strings.Repeat("c", 20_000))},
		}}
		list = append(list, d)
	}
	connect(t, s, "prog", list...)
	c := consume(t, s)
	done := make(chan int, 1)
	state, pieces := new(messages.TracingServiceState), 0
	err := c.Call("QueryServiceState", &messages.QueryServiceStateRequest{}, func(r ipc.Reply) {
		m := new(messages.QueryServiceStateResponse)
		if err := r.Decode(m); err != nil {
			t.Error(err)
		}
		proto.Merge(state, m.ServiceState)
		if pieces++; !r.More {
			done <- pieces
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := <-done; n < 5 || len(state.DataSources) != sources || len(state.Producers) != 1 || !state.GetSupportsTracingSessions() {
		t.Errorf("%d pieces with %d data sources, %d producers", n, len(state.DataSources), len(state.Producers))
	}
	for i, d := range state.DataSources {
		if d.DsDescriptor.GetName() != fmt.Sprintf("source %02d", i) {
			t.Errorf("data source %d by name is %q", i, d.DsDescriptor.GetName())
		}
	}
}
