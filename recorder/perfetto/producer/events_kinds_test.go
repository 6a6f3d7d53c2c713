package producer

import (
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
)

// TestEventsToldLater records past events, on a clock shared by all programs.
func TestEventsToldLater(t *testing.T) {
	for name, config := range map[string]*messages.TrackEventConfig{
		"": nil,
		"in other units": {
			DisableIncrementalTimestamps: proto.Bool(true), TimestampUnitMultiplier: proto.Uint64(1000),
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := ipctest.Directory(t)
			serve(t, dir)
			p := begin(t, dir, Options{})
			e := newEvents(t, p, EventsOptions{})
			settle(t, p)
			c := consume(t, dir)
			session := session(64, trackEvent)
			session.DataSources[0].Config.TrackEventConfig = config
			c.enable(session)
			awaitInstance(t, e.source)
			track, n := e.Goroutine("g"), e.Name("work", "step")
			track.BeginAt(1000, n)
			track.InstantAt(1500, n)
			track.EndAt(2000, n)
			var none *Track
			none.BeginAt(1, n)
			none.InstantAt(1, n)
			none.EndAt(1, n)
			var times []uint64
			for _, p := range c.finish() {
				if p.GetTrackEvent() != nil {
					times = append(times, p.GetTimestamp())
					if p.GetTimestampClockId() != uint32(clockBoot) {
						t.Errorf("an event is on clock %d", p.GetTimestampClockId())
					}
				}
			}
			if want := []uint64{1000, 1500, 2000}; !slices.Equal(times, want) {
				t.Errorf("events at %d, want %d", times, want)
			}
		})
	}
}

// TestCounters describes counters of all kinds.
func TestCounters(t *testing.T) {
	dir := ipctest.Directory(t)
	serve(t, dir)
	p := begin(t, dir, Options{})
	e := newEvents(t, p, EventsOptions{})
	settle(t, p)
	c := consume(t, dir)
	c.enable(session(64, trackEvent))
	awaitInstance(t, e.source)
	track := e.Goroutine("g")
	want := map[string]*messages.CounterDescriptor{}
	for name, o := range map[string]CounterOptions{
		"plain": {}, "bytes": {Bytes: true}, "time": {Nanos: true}, "unit": {Unit: "cats"},
		"scaled": {Multiply: -1 << 40}, "delta": {Delta: true, Bytes: true},
	} {
		counter := e.Counter("work", name, o)
		counter.Set(track, math.MinInt64)
		counter.SetFloat(track, math.Inf(-1))
		counter.Set(nil, 1)
		counter.SetFloat(nil, 1)
		d := &messages.CounterDescriptor{}
		if o.Bytes {
			d.Unit = messages.CounterDescriptor_UNIT_SIZE_BYTES.Enum()
		}
		if o.Nanos {
			d.Unit = messages.CounterDescriptor_UNIT_TIME_NS.Enum()
		}
		if o.Unit != "" {
			d.UnitName = &o.Unit
		}
		if o.Multiply != 0 {
			d.UnitMultiplier = &o.Multiply
		}
		if o.Delta {
			d.IsIncremental = &o.Delta
		}
		want[name] = d
	}
	values := map[uint64]int{}
	for _, p := range c.finish() {
		if d := p.GetTrackDescriptor(); d.GetCounter() != nil {
			if !proto.Equal(d.Counter, want[d.GetName()]) {
				t.Errorf("%q is described as %v, want %v", d.GetName(), d.Counter, want[d.GetName()])
			}
			delete(want, d.GetName())
		}
		if v := p.GetTrackEvent(); v.GetType() == messages.TrackEvent_TYPE_COUNTER {
			values[v.GetTrackUuid()]++
			if v.GetCounterValue() != math.MinInt64 && v.GetDoubleCounterValue() != math.Inf(-1) {
				t.Errorf("a counter is said to be %v", v)
			}
		}
	}
	if len(want) != 0 || len(values) != 6 {
		t.Errorf("%d counters are not described; %d have values", len(want), len(values))
	}
	for uuid, n := range values {
		if n != 2 {
			t.Errorf("track %d has %d values, want 2", uuid, n)
		}
	}
}
