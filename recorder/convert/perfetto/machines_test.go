package perfetto

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
)

// onMachine adds the packets that tell adds as those of a machine.
func (s *story) onMachine(machine uint64, tell func(s *story)) {
	own := story{sequence: s.sequence, time: s.time}
	tell(&own)
	for b := own.trace; len(b) > 0; {
		_, _, n := protowire.ConsumeField(b)
		_, _, head := protowire.ConsumeTag(b)
		packet, _ := protowire.ConsumeBytes(b[head:])
		p := message(append([]byte(nil), packet...))
		if machine != 0 {
			p.number(pbfield.TracePacket_MachineId, machine)
		}
		s.trace = appendPacket(s.trace, p)
		b = b[n:]
	}
	s.sequence, s.time = own.sequence, own.time
}

// TestMachines has two machines that use the same numbers.
func TestMachines(t *testing.T) {
	s := &story{}
	for machine := range uint64(2) {
		s.onMachine(machine*7, func(s *story) {
			s.on(2+machine, 10)
			s.track(100, 0, "", ofProcessOf(1, []string{"one", "two"}[machine]))
			s.track(10, 100, "", ofThreadOf(1, 1, "main"))
			s.track(30, 0, "global")
			s.track(40, 100, "", func(d *message) {
				d.bytes(pbfield.TrackDescriptor_Counter, nil)
				d.text(pbfield.TrackDescriptor_Name, "size")
			})
			s.begin(100+10*machine, "A")
			s.event(101+10*machine, pbfield.TrackEvent_TYPE_COUNTER, "", onTrack(40), func(e *message) { e.number(pbfield.TrackEvent_CounterValue, 5) })
			s.instant(102+10*machine, "on both", onTrack(30))
			s.instant(103+10*machine, "never described", onTrack(50))
			s.phased(104+10*machine, 'b', "Load", local(1))
			s.end(109 + 10*machine)
		})
	}
	s.tells(t, `
		# one 1 › main 1
		 100+9   c.A()
		           size = 5
		# one 1 › Load
		 104+15  c.Load(id ➜ 1): <unfinished method>
		# machine 7 › two 1 › main 1
		 110+9   c.A()
		           size = 5
		# machine 7 › two 1 › Load
		 114+5   c.Load(id ➜ 1): <unfinished method>
		# global
		 102+0   c.on both()
		# machine 7 › global
		 112+0   c.on both()
		# never described
		 103+0   c.never described()
		# machine 7 › never described
		 113+0   c.never described()
		`)
}

// TestOneMachine has only one machine, which is not the service's.
func TestOneMachine(t *testing.T) {
	s := &story{}
	s.onMachine(7, func(s *story) {
		s.on(2, 10)
		s.track(10, 0, "", ofThreadOf(1, 5, "main"))
		s.clocksAt(clockBoottime, clockBoottime, 1000, clockMonotonic, 100)
		s.at(clockMonotonic, 110, "A")
		s.at(0, 1020, "B")
		s.at(clockBoottime, 1030, "C")
	})
	s.tells(t, `
		# process 1 › main 5
		1010+0   c.A()
		1020+0   c.B()
		1030+0   c.C()
		`)
}

// TestClocksOfMachines has machines whose clocks show different times.
func TestClocksOfMachines(t *testing.T) {
	clocks := func(field protowire.Number, clocks ...uint64) func(*message) {
		return func(m *message) {
			m.bytes(field, nested(func(m *message) {
				for i := 0; i < len(clocks); i += 2 {
					m.bytes(1, nested(func(c *message) {
						c.number(1, clocks[i])
						c.number(2, clocks[i+1])
					}))
				}
			}))
		}
	}
	round := func(own, ours []uint64) func(*message) {
		return field(1, nested(func(m *message) { clocks(2, own...)(m); clocks(3, ours...)(m) }))
	}
	s := simple()
	s.clocksAt(clockBoottime, clockBoottime, 1000, clockRealtime, 50_000)
	s.at(0, 1005, "here")
	s.onMachine(1, func(s *story) {
		// Messages take 10 in each direction; its clock is 4,000 ahead.
		s.time = 0
		s.add(field(pbfield.TracePacket_RemoteClockSync, nested(func(m *message) {
			round([]uint64{clockBoottime, 5000}, []uint64{clockBoottime, 1010})(m)
			round([]uint64{clockBoottime, 5020}, []uint64{clockBoottime, 1030})(m)
		})))
		s.on(3, 20)
		s.track(20, 0, "", ofThreadOf(1, 5, "synchronized"))
		s.at(0, 5025, "without a clock")
		s.at(clockBoottime, 5026, "with a clock")
		s.clocksAt(0, clockBoottime, 5030, 65, 0)
		s.at(65, 1, "of the sequence")
	})
	s.onMachine(2, func(s *story) {
		s.clocksAt(clockMonotonic, clockBoottime, 9000, clockRealtime, 50_100)
		s.on(4, 20)
		s.track(20, 0, "", ofThreadOf(1, 5, "by the wall clock"))
		s.at(0, 9001, "A")
	})
	s.onMachine(3, func(s *story) {
		s.on(5, 20)
		s.track(20, 0, "", ofThreadOf(1, 5, "started together"))
		s.at(0, 1200, "B")
	})
	s.tells(t, `
		# process 1 › main 5
		1005+0   c.here()
		# machine 1 › process 1 › synchronized 5
		1025+0   c.without a clock()
		1026+0   c.with a clock()
		1040+0   c.of the sequence()
		# machine 2 › process 1 › by the wall clock 5
		1101+0   c.A()
		# machine 3 › process 1 › started together 5
		1200+0   c.B()
		`)
}

// TestManyReadings has snapshots of more clocks than allowed.
func TestManyReadings(t *testing.T) {
	many := nested(func(m *message) {
		for i := range uint64(maxReadings + 1) {
			m.bytes(1, nested(func(c *message) { c.number(1, i+200) }))
		}
	})
	s := simple()
	s.add(field(pbfield.TracePacket_ClockSnapshot, many))
	s.onMachine(1, func(s *story) {
		s.add(field(pbfield.TracePacket_RemoteClockSync, nested(func(m *message) {
			m.bytes(1, nested(func(m *message) { m.bytes(2, many) }))
		})))
	})
	s.tells(t, `left out: 2 damaged packets`)
}
