package perfetto

import (
	"math"
	"testing"

	"tracex/format/pbfield"
)

func counterOf(fill func(c *message)) func(*message) {
	return field(pbfield.TrackDescriptor_Counter, nested(fill))
}

func TestCounters(t *testing.T) {
	t.Run("where they are written", func(t *testing.T) {
		s := simple()
		s.track(20, 0, "depth", counterOf(func(*message) {}))
		s.track(21, 0, "rss", counterOf(func(c *message) {
			c.number(3, 3)    // bytes
			c.number(4, 1024) // multiplier
		}))
		s.track(22, 0, "load", counterOf(func(c *message) { c.text(6, "tasks") }))
		value := func(time, track, v uint64) {
			s.event(time, pbfield.TrackEvent_TYPE_COUNTER, "", onTrack(track), func(e *message) { e.number(pbfield.TrackEvent_CounterValue, v) })
		}
		s.begin(100, "A")
		value(110, 20, 7)
		value(111, 21, 2)
		s.instant(112, "I")
		s.event(113, pbfield.TrackEvent_TYPE_COUNTER, "", onTrack(22), func(e *message) { e.fixed(pbfield.TrackEvent_DoubleCounterValue, math.Float64bits(0.5)) })
		s.end(120)
		value(130, 20, math.MaxUint64)
		value(131, 99, 1)
		s.event(132, pbfield.TrackEvent_TYPE_COUNTER, "", onTrack(20))
		s.tells(t, `
		# process 1 › main 5
		 100+20  c.A()
		           depth = 7
		           rss (bytes) = 2048
		 112+0     I()
		           load (tasks) = 0.5
		         depth = -1
		left out: 1 counter event without a value
		left out: 1 value of an undescribed counter
		`)
	})
	t.Run("with other events, as differences", func(t *testing.T) {
		s := simple()
		s.track(20, 10, "", counterOf(func(c *message) {
			c.number(1, 1) // time of a thread
			c.number(5, 1) // incremental
		}))
		s.track(21, 10, "share", counterOf(func(c *message) { c.number(5, 1) }))
		extra := func(n uint64, d float64) func(*message) {
			return func(e *message) {
				e.bytes(pbfield.TrackEvent_ExtraCounterTrackUuids, message{20})
				e.number(pbfield.TrackEvent_ExtraCounterValues, n)
				e.number(pbfield.TrackEvent_ExtraDoubleCounterTrackUuids, 21)
				e.fixed(pbfield.TrackEvent_ExtraDoubleCounterValues, math.Float64bits(d))
			}
		}
		s.begin(100, "A", extra(5, 0.25))
		s.end(120, extra(7, 0.5))
		s.tells(t, `
		# process 1 › main 5
		 100+20  c.A()
		           thread_time (ns) = 5
		           share = 0.25
		           thread_time (ns) = 12
		           share = 0.75
		`)
	})
	t.Run("of no thread", func(t *testing.T) {
		s := &story{}
		s.on(2, 0)
		s.track(20, 0, "temperature", counterOf(func(*message) {}))
		for i := range uint64(3) {
			s.event(100+10*i*i, pbfield.TrackEvent_TYPE_COUNTER, "", onTrack(20), func(e *message) { e.number(pbfield.TrackEvent_CounterValue, 40+i) })
		}
		s.tells(t, `
		# temperature
		 100+10  temperature(value ➜ 40)
		 110+30  temperature(value ➜ 41)
		 140+0   temperature(value ➜ 42): <unfinished method>
		`)
	})
}

func TestStates(t *testing.T) {
	s := simple()
	s.track(20, 10, "State", field(pbfield.TrackDescriptor_State, nil))
	s.event(100, pbfield.TrackEvent_TYPE_STATE, "starting", onTrack(20))
	s.event(110, pbfield.TrackEvent_TYPE_STATE, "running", onTrack(20), annotate("n", intValue(1)))
	s.event(150, pbfield.TrackEvent_TYPE_STATE, "", onTrack(20))
	s.event(170, pbfield.TrackEvent_TYPE_STATE, "running", onTrack(20))
	s.event(180, pbfield.TrackEvent_TYPE_STATE, "no state's track", onTrack(10))
	s.tells(t, `
		# process 1 › main 5 › State
		 100+10  c.starting()
		 110+40  c.running(n ➜ 1)
		 170+0   c.running(): <unfinished method>
		left out: 1 event of an unknown type
		`)
}
