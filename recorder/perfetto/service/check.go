package service

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tracex/recorder/perfetto/messages"
)

// What a config may ask for at most.
const (
	maxBuffers        = 128
	maxSessionsOfUser = 5
	maxDurationMs     = 7 * 24 * 3600 * 1000
	// And under extra guardrails, which protect a machine from traces that nobody
	// attends to.
	maxGuardedMs        = 24 * 3600 * 1000
	maxGuardedKB        = 128 << 10
	leastBetweenGuarded = 5 * time.Minute // sessions of one name
)

// refuse says why something is not done. The words are those of the real service,
// where it has any, since consumers show them.
func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

type refusal string

func (r refusal) Error() string { return string(r) }

// check refuses configs that make no sense, want too much, or cannot be beside
// the sessions that are there. It ends those that a session with priority drives
// out.
func (s *Service) check(k *consumer, c *messages.TraceConfig) error {
	for _, check := range []func() error{
		func() error { return checkTimes(c) },
		func() error { return checkTriggers(c) },
		func() error { return checkGuardrails(c) },
		func() error { return checkTargets(c) },
		func() error { return s.checkPriority(c) },
		func() error { return s.checkName(c) },
		func() error { return s.checkSemaphores(c) },
		func() error { return s.checkRecent(c) },
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
	most := uint32(maxDurationMs)
	if c.GetEnableExtraGuardrails() {
		most = maxGuardedMs
	}
	if c.GetDurationMs() > most {
		return refuse("Requested too long trace (%dms  > %d ms)", c.GetDurationMs(), most)
	}
	timeout := c.GetTriggerConfig().GetTriggerTimeoutMs()
	if triggerMode(c) != messages.TraceConfig_TriggerConfig_UNSPECIFIED && (timeout == 0 || timeout > most) {
		return refuse("Traces with START_TRACING triggers must provide a positive trigger_timeout_ms < 7 days (received %dms)", timeout)
	}
	return nil
}

func checkTriggers(c *messages.TraceConfig) error {
	const clone = messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT
	const stop = messages.TraceConfig_TriggerConfig_STOP_TRACING
	t, mode := c.GetTriggerConfig(), triggerMode(c)
	switch {
	case t.GetTriggerMode() > clone || t.GetTriggerMode() == 3:
		return refuse("The trace config specified an invalid trigger_mode")
	case t.GetUseCloneSnapshotIfAvailable() && t.GetTriggerMode() != stop:
		return refuse("trigger_mode must be STOP_TRACING when use_clone_snapshot_if_available=true")
	case mode != messages.TraceConfig_TriggerConfig_UNSPECIFIED && c.GetDurationMs() != 0:
		return refuse("duration_ms was set, this must not be set for traces with triggers.")
	case strings.ContainsFunc(c.GetBugreportFilename(), notInFileName):
		return refuse("bugreport_filename contains invalid chars. Use [a-zA-Z0-9-_.]+")
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

func notInFileName(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
}

func checkGuardrails(c *messages.TraceConfig) error {
	if !c.GetEnableExtraGuardrails() {
		return nil
	}
	if c.GetDeferredStart() {
		return refuse("deferred_start=true is not supported in unsupervised traces")
	}
	sum := uint64(0)
	for _, b := range c.Buffers {
		if b.GetSizeKb()%4 != 0 {
			return refuse("buffers.size_kb must be a multiple of 4, got %d", b.GetSizeKb())
		}
		sum += uint64(b.GetSizeKb())
	}
	if most := max(maxGuardedKB, c.GetGuardrailOverrides().GetMaxTracingBufferSizeKb()); sum > uint64(most) {
		return refuse("Requested too large trace buffer (%dkB  > %d kB)", sum, most)
	}
	return nil
}

// checkTargets refuses data sources whose buffer is not there.
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

// targetOf returns the position of the buffer that a data source is for, which
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

// checkSizes refuses buffers of no size, and what this service cannot do, which
// must not go unnoticed.
func checkSizes(c *messages.TraceConfig) error {
	if c.TraceFilter != nil {
		return refuse("trace_filter is not supported by this tracing service")
	}
	if c.PriorityBoost != nil {
		return refuse("Failed to boost priority: it is not supported by this tracing service")
	}
	for _, b := range c.Buffers {
		if size := int64(b.GetSizeKb()) << 10; size == 0 || size > math.MaxUint32 {
			return refuse("Failed to allocate tracing buffers: Invalid buffer sizes")
		}
	}
	return nil
}

// checkPriority refuses a session while one is there that is to be alone, and
// ends all others for one that is to be alone.
func (s *Service) checkPriority(c *messages.TraceConfig) error {
	most := uint32(0)
	for _, n := range s.sessions {
		most = max(most, n.config.GetExclusivePrio())
	}
	want := c.GetExclusivePrio()
	if most > 0 && most >= want {
		return refuse("An exclusive session with priority %d >= requested priority %d is already active.", most, want)
	}
	if want > 0 {
		for _, n := range s.inOrder() {
			n.disable(fmt.Sprintf("Aborted due to user requested higher-priority (%d) exclusive session.", want))
			s.free(n)
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

// checkSemaphores refuses a session while more others have a semaphore than it,
// or one of them, allows.
func (s *Service) checkSemaphores(c *messages.TraceConfig) error {
	for _, want := range c.SessionSemaphores {
		count, least := uint64(0), uint64(math.MaxUint64)
		for _, n := range s.sessions {
			if n.state == sessionCloned || n.state == sessionDisabled {
				continue
			}
			for _, has := range n.config.SessionSemaphores {
				if has.GetName() == want.GetName() {
					count++
					least = min(least, has.GetMaxOtherSessionCount())
				}
			}
		}
		if count > 0 && count > min(want.GetMaxOtherSessionCount(), least) {
			return refuse("Semaphore %q exceeds maximum allowed other session count (%d > min(%d, %d))",
				want.GetName(), count, want.GetMaxOtherSessionCount(), least)
		}
	}
	return nil
}

// checkRecent refuses guarded sessions that follow upon one another too fast.
func (s *Service) checkRecent(c *messages.TraceConfig) error {
	if !c.GetEnableExtraGuardrails() {
		return nil
	}
	now, name := s.clock.now(), c.GetUniqueSessionName()
	for other, at := range s.guarded {
		if now.Sub(at) > leastBetweenGuarded {
			delete(s.guarded, other)
		}
	}
	if at, ok := s.guarded[name]; ok {
		return refuse("A trace with unique session name %q began less than %ds ago (%ds)",
			name, leastBetweenGuarded/time.Second, now.Sub(at)/time.Second)
	}
	s.guarded[name] = now
	return nil
}

func (s *Service) checkCount(k *consumer) error {
	ofUser := 0
	for _, n := range s.sessions {
		if n.uid == k.uid {
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
