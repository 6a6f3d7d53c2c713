package service

import (
	"fmt"
	"math"
	"slices"

	"tracex/recorder/perfetto/messages"
)

// Maximum values of a config.
const (
	maxBuffers        = 128
	maxSessionsOfUser = 5
	maxDurationMs     = 7 * 24 * 3600 * 1000
)

// refuse returns an error that refuses a request. The words are those of the real
// service, where it has any, since consumers show them.
func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

type refusal string

func (r refusal) Error() string { return string(r) }

// check refuses configs that make no sense, ask for unsupported features, exceed a
// limit, or conflict with the existing sessions.
func (s *Service) check(k *consumer, c *messages.TraceConfig) error {
	for _, check := range []func() error{
		func() error { return checkTimes(c) },
		func() error { return checkTriggers(c) },
		func() error { return checkTargets(c) },
		func() error { return checkSupported(c) },
		func() error { return s.checkName(c) },
		func() error { return s.checkCount(k) },
		func() error { return checkSizes(c) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func checkTimes(c *messages.TraceConfig) error {
	if c.GetDurationMs() > maxDurationMs {
		return refuse("Requested too long trace (%dms  > %d ms)", c.GetDurationMs(), maxDurationMs)
	}
	timeout := c.GetTriggerConfig().GetTriggerTimeoutMs()
	if triggerMode(c.GetTriggerConfig()) != messages.TraceConfig_TriggerConfig_UNSPECIFIED && (timeout == 0 || timeout > maxDurationMs) {
		return refuse("Traces with START_TRACING triggers must provide a positive trigger_timeout_ms < 7 days (received %dms)", timeout)
	}
	return nil
}

func checkTriggers(c *messages.TraceConfig) error {
	const clone = messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT
	const stop = messages.TraceConfig_TriggerConfig_STOP_TRACING
	t, mode := c.GetTriggerConfig(), triggerMode(c.GetTriggerConfig())
	switch {
	case t.GetTriggerMode() > clone || t.GetTriggerMode() == 3:
		return refuse("The trace config specified an invalid trigger_mode")
	case t.GetUseCloneSnapshotIfAvailable() && t.GetTriggerMode() != stop:
		return refuse("trigger_mode must be STOP_TRACING when use_clone_snapshot_if_available=true")
	case mode != messages.TraceConfig_TriggerConfig_UNSPECIFIED && c.GetDurationMs() != 0:
		return refuse("duration_ms was set, this must not be set for traces with triggers.")
	case (mode == stop || mode == clone) && c.GetWriteIntoFile():
		return refuse("Specifying trigger mode STOP_TRACING/CLONE_SNAPSHOT and write_into_file together is unsupported")
	}
	seen := make(map[string]bool)
	for _, trigger := range t.GetTriggers() {
		if seen[trigger.GetName()] {
			return refuse("Duplicate trigger name: %s", trigger.GetName())
		}
		seen[trigger.GetName()] = true
	}
	return nil
}

// checkTargets refuses data sources whose buffer does not exist.
func checkTargets(c *messages.TraceConfig) error {
	if len(c.Buffers) > maxBuffers {
		return refuse("Too many buffers configured (%d)", len(c.Buffers))
	}
	for i, b := range c.Buffers {
		same := func(other *messages.TraceConfig_BufferConfig) bool { return other.GetName() == b.GetName() }
		if first := slices.IndexFunc(c.Buffers, same); b.GetName() != "" && first < i {
			return refuse("Duplicate buffer name %q at index %d (first occurrence at index %d)", b.GetName(), i, first)
		}
	}
	for _, d := range c.DataSources {
		if _, err := targetOf(c, d.GetConfig()); err != nil {
			return err
		}
	}
	return nil
}

// targetOf returns the position of the buffer that a data source writes into, which
// the config names or numbers.
func targetOf(c *messages.TraceConfig, d *messages.DataSourceConfig) (uint32, error) {
	target := d.GetTargetBuffer()
	if name := d.GetTargetBufferName(); name != "" {
		i := slices.IndexFunc(c.Buffers, func(b *messages.TraceConfig_BufferConfig) bool { return b.GetName() == name })
		switch {
		case i < 0:
			return 0, refuse("Data source %q specified target_buffer_name %q which does not match any buffer", d.GetName(), name)
		case target > 0 && int64(target) != int64(i):
			return 0, refuse("Data source %q specified both target_buffer=%d and target_buffer_name=%q (index %d) but they don't match",
				d.GetName(), target, name, i)
		}
		target = uint32(i)
	}
	if int64(target) >= int64(len(c.Buffers)) {
		return 0, refuse("Data source %q specified an out of bounds target_buffer (%d >= %d)", d.GetName(), target, len(c.Buffers))
	}
	return target, nil
}

// checkSupported refuses features that this service does not have and whose absence
// would change the trace. The package comment lists the ones that it ignores.
func checkSupported(c *messages.TraceConfig) error {
	unsupported := func(field string) error {
		return refuse("%s is not supported by this tracing service", field)
	}
	switch {
	case c.TraceFilter != nil:
		return unsupported("trace_filter")
	case c.PriorityBoost != nil:
		return refuse("Failed to boost priority: it is not supported by this tracing service")
	case c.GetExclusivePrio() != 0:
		return unsupported("exclusive_prio")
	case c.GetLockdownMode() == messages.TraceConfig_LOCKDOWN_SET:
		return unsupported("lockdown_mode")
	case len(c.SessionSemaphores) > 0:
		return unsupported("session_semaphores")
	}
	for _, b := range c.Buffers {
		if b.GetExperimentalMode() == messages.TraceConfig_BufferConfig_TRACE_BUFFER_V2 {
			return unsupported("buffers.experimental_mode TRACE_BUFFER_V2")
		}
	}
	for _, t := range c.GetTriggerConfig().GetTriggers() {
		switch {
		case t.GetSkipProbability() > 0:
			return unsupported("skip_probability of a trigger")
		case t.GetMaxPer_24H() > 0:
			return unsupported("max_per_24_h of a trigger")
		}
	}
	return nil
}

// checkSizes refuses buffers without a size.
func checkSizes(c *messages.TraceConfig) error {
	for _, b := range c.Buffers {
		if size := int64(b.GetSizeKb()) << 10; size == 0 || size > math.MaxUint32 {
			return refuse("Failed to allocate tracing buffers: Invalid buffer sizes")
		}
	}
	return nil
}

func (s *Service) checkName(c *messages.TraceConfig) error {
	for _, n := range s.sessions {
		name := c.GetUniqueSessionName()
		if name != "" && n.state != sessionCloned && n.config.GetUniqueSessionName() == name {
			return refuse("A trace with this unique session name (%s) already exists", name)
		}
	}
	return nil
}

func (s *Service) checkCount(k *consumer) error {
	ofUser := 0
	for _, n := range s.sessions {
		if n.owner.uid == k.uid {
			ofUser++
		}
	}
	switch {
	case ofUser >= maxSessionsOfUser:
		return refuse("Too many concurrent tracing sesions (%d) for uid %d limit is %d", ofUser, k.uid, maxSessionsOfUser)
	case len(s.sessions) >= s.config.Limits.Sessions:
		return refuse("Too many concurrent tracing sesions (%d)", len(s.sessions))
	}
	return nil
}
