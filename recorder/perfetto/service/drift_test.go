package service

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// A snapshot is kept when a clock went on by another count than the boot time's,
// and the processor's is such a clock.
func TestDrift(t *testing.T) {
	ids := []messages.BuiltinClock{
		messages.BuiltinClock_BUILTIN_CLOCK_BOOTTIME, messages.BuiltinClock_BUILTIN_CLOCK_REALTIME,
		messages.BuiltinClock_BUILTIN_CLOCK_TSC,
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
		{"a processor of 2 GHz", snapshot(200*ms, 600*ms, 207*ms), true},
		{"another number of clocks", snapshot(200*ms, 600*ms), true},
	} {
		if got := drifted(first, test.now); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestCycles has the processor's clock in each snapshot, where it has one. Nothing
// is said about its order, which some machines' cores do not agree upon.
func TestCycles(t *testing.T) {
	n := &session{config: new(messages.TraceConfig)}
	var reads []uint64
	for range 3 {
		clocks := n.clocks().Clocks
		last := clocks[len(clocks)-1]
		if isCycles := last.GetClockId() == uint32(messages.BuiltinClock_BUILTIN_CLOCK_TSC); isCycles != countsCycles {
			t.Fatalf("the last clock is %v", last)
		}
		reads = append(reads, last.GetTimestamp())
	}
	if countsCycles && (reads[0] == reads[1] || reads[1] == reads[2]) {
		t.Errorf("it does not count: %d", reads)
	}
}
