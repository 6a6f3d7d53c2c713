package service

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// TestRefusals makes invalid requests, which are refused with the words of the real
// service.
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
		t.Run("", func(t *testing.T) { // in a directory whose name can be an address
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

// TestTooMany has one user start more sessions than allowed.
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

// TestSameName has two sessions with the same name: the second is refused while the
// first exists.
func TestSameName(t *testing.T) {
	s := serve(t, Config{Limits: Limits{Sessions: 2}})
	c, k, copied := consume(t, s), consume(t, s), consume(t, s)
	cfg := config(4)
	cfg.UniqueSessionName = proto.String("it")
	c.enable(cfg)
	c.sync()
	k.enable(cfg)
	if why := k.end(); why != "A trace with this unique session name (it) already exists" {
		t.Errorf("refused with %q", why)
	}
	// A clone may take the name too; but only two sessions may have it.
	copied.clone(&messages.CloneSessionRequest{Selector: &messages.CloneSessionRequest_SessionId{SessionId: 1}})
	k.enable(config(4))
	if why := k.end(); why != "Too many concurrent tracing sesions (2)" {
		t.Errorf("refused with %q", why)
	}
	c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	c.end()
	k.enable(cfg)
	k.sync()
	if len(k.ended) > 0 {
		t.Errorf("refused with %q, though the name is free", k.end())
	}
}
