package perfetto

import (
	"math"
	"testing"

	"tracex/format/pbfield"
)

// phased adds an event with a phase.
func (s *story) phased(time uint64, phase byte, name string, more ...func(g *message)) {
	s.time = time
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_TrackEvent, nested(func(e *message) {
			e.text(pbfield.TrackEvent_Categories, "c")
			e.text(pbfield.TrackEvent_Name, name)
			e.bytes(pbfield.TrackEvent_LegacyEvent, nested(func(g *message) {
				g.number(pbfield.TrackEvent_LegacyEvent_Phase, uint64(phase))
				for _, f := range more {
					f(g)
				}
			}))
		}))
	})
}

// oldThread begins a story of a thread that is described in the older form.
func oldThread() *story {
	s := &story{sequence: 2}
	s.add(func(p *message) { p.number(pbfield.TracePacket_SequenceFlags, flagCleared) })
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_ThreadDescriptor, nested(func(m *message) {
			m.number(1, 1)
			m.number(2, 5)
			m.text(5, "main")
		}))
	})
	return s
}

func id(n uint64) func(*message) {
	return func(g *message) { g.number(pbfield.TrackEvent_LegacyEvent_UnscopedId, n) }
}
func local(n uint64) func(*message) {
	return func(g *message) { g.number(pbfield.TrackEvent_LegacyEvent_LocalId, n) }
}

// TestPhases: legacy events, phases of a thread.
func TestPhases(t *testing.T) {
	s := oldThread()
	s.phased(100, 'B', "A")
	s.phased(101, 'i', "I")
	s.phased(102, 's', "flow", id(77))
	s.phased(110, 'E', "")
	s.phased(120, 'X', "X", func(g *message) { g.number(pbfield.TrackEvent_LegacyEvent_DurationUs, 1) })
	s.phased(130, 'B', "of another", func(g *message) {
		g.number(pbfield.TrackEvent_LegacyEvent_PidOverride, 9)
		g.number(pbfield.TrackEvent_LegacyEvent_TidOverride, 8)
	})
	s.phased(140, 'i', "everywhere", func(g *message) {
		g.number(pbfield.TrackEvent_LegacyEvent_InstantEventScope, pbfield.TrackEvent_LegacyEvent_SCOPE_GLOBAL)
	})
	s.phased(150, 'i', "in the process", func(g *message) {
		g.number(pbfield.TrackEvent_LegacyEvent_InstantEventScope, pbfield.TrackEvent_LegacyEvent_SCOPE_PROCESS)
	})
	s.phased(160, 'Z', "no phase")
	s.tells(t, `
	# process 1 › main 5
	 100+10  c.A()
	 101+0     I()
	           flow = 77
	 120+1000 c.X()
	# process 1 › Instants
	 150+0   c.in the process()
	# process 9 › thread 8
	 130+990 c.of another(): <unfinished method>
	# Instants
	 140+0   c.everywhere()
	left out: 1 event of an unknown type
	`)
}

// TestLegacyCounter: legacy events, counters.
func TestLegacyCounter(t *testing.T) {
	s := oldThread()
	count := func(time uint64, name string, more ...func(*message)) {
		s.time = time
		s.add(func(p *message) {
			p.bytes(pbfield.TracePacket_TrackEvent, nested(func(e *message) {
				e.text(pbfield.TrackEvent_Name, name)
				for _, f := range more {
					f(e)
				}
				e.bytes(pbfield.TrackEvent_LegacyEvent, nested(func(g *message) { g.number(pbfield.TrackEvent_LegacyEvent_Phase, 'C') }))
			}))
		})
	}
	s.phased(100, 'B', "A")
	count(101, "size", annotate("value", intValue(7)))
	count(102, "load", annotate("user", func(a *message) { a.fixed(pbfield.DebugAnnotation_DoubleValue, math.Float64bits(0.5)) }), annotate("system", intValue(3)))
	count(103, "nothing", annotate("value", func(a *message) { a.text(pbfield.DebugAnnotation_StringValue, "text") }))
	s.phased(110, 'E', "")
	s.tells(t, `
	# process 1 › main 5
	 100+10  c.A()
	           size = 7
	           load.user = 0.5
	           load.system = 3
	left out: 1 counter event without a value
	left out: 1 damaged or excess argument
	`)
}

// TestAsync: legacy events, asynchronous ones.
func TestAsync(t *testing.T) {
	s := oldThread()
	s.phased(100, 'b', "Load", id(1))
	s.phased(101, 'b', "Load", id(2))
	s.phased(102, 'b', "Parse", id(1))
	s.phased(103, 'n', "Mark", id(2))
	s.phased(104, 'e', "Parse", id(1))
	s.phased(105, 'e', "Load", id(1))
	s.phased(106, 'e', "Load", id(2))
	s.phased(107, 'S', "Old", local(1))
	s.phased(108, 'T', "Old", local(1))
	s.phased(109, 'F', "Old", local(1))
	s.phased(110, 'b', "no id")
	s.tells(t, `
	# process 1 › Old
	 107+2   c.Old(id ➜ 1)
	 108+0     Old(id ➜ 1)
	# Load
	 100+5   c.Load(id ➜ 1)
	 102+2     Parse(id ➜ 1)
	# Load #2
	 101+5   c.Load(id ➜ 2)
	 103+0     Mark(id ➜ 2)
	left out: 1 event of an unknown type
	`)
}

// TestMetadata: legacy events, names.
func TestMetadata(t *testing.T) {
	s := oldThread()
	name := func(what, name string) {
		s.time = 90
		s.add(func(p *message) {
			p.bytes(pbfield.TracePacket_TrackEvent, nested(func(e *message) {
				e.text(pbfield.TrackEvent_Name, what)
				annotate("name", func(a *message) { a.text(pbfield.DebugAnnotation_StringValue, name) })(e)
				e.bytes(pbfield.TrackEvent_LegacyEvent, nested(func(g *message) { g.number(pbfield.TrackEvent_LegacyEvent_Phase, 'M') }))
			}))
		})
	}
	name("thread_name", "renamed")
	name("process_name", "browser")
	s.phased(100, 'i', "I")
	s.tells(t, `
	# browser 1 › renamed 5
	 100+0   c.I()
	`)
}

// TestWithoutPhase: legacy events, without a phase.
func TestWithoutPhase(t *testing.T) {
	s := oldThread()
	s.begin(100, "A", field(pbfield.TrackEvent_LegacyEvent, nested(func(g *message) {
		g.number(pbfield.TrackEvent_LegacyEvent_BindId, 0xbeef)
		g.number(pbfield.TrackEvent_LegacyEvent_FlowDirection, 2)
	})))
	s.end(110, field(pbfield.TrackEvent_LegacyEvent, nested(func(*message) {})))
	s.track(77, 0, "", ofThreadOf(4, 3, "other"))
	s.instant(120, "of another thread", field(pbfield.TrackEvent_LegacyEvent, nested(func(g *message) {
		g.number(pbfield.TrackEvent_LegacyEvent_PidOverride, 4)
		g.number(pbfield.TrackEvent_LegacyEvent_TidOverride, 3)
	})))
	s.instant(130, "on its track", onTrack(77))
	s.tells(t, `
	# process 1 › main 5
	 100+10  c.A(flow ➜ 0xbeef)
	# process 4 › other 3
	 120+0   c.of another thread()
	 130+0   c.on its track()
	`)
}
