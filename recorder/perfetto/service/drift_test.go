package service

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// A snapshot is kept when a clock advanced by another amount than the boot time.
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
