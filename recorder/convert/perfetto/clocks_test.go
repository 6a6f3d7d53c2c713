package perfetto

import (
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
)

// clocksAt adds a snapshot: clock, time, clock, time and so on. A clock of a
// sequence is incremental if its number is odd; so is 133, of the trace.
func (s *story) clocksAt(primary uint64, clocks ...uint64) {
	s.time = 0
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_ClockSnapshot, nested(func(m *message) {
			for i := 0; i < len(clocks); i += 2 {
				m.bytes(1, nested(func(c *message) {
					c.number(1, clocks[i])
					c.number(2, clocks[i+1])
					if clocks[i] >= firstOwnClock && clocks[i]%2 == 1 && clocks[i] != 131 {
						c.number(3, 1)
						c.number(4, 10)
					}
				}))
			}
			if primary != 0 {
				m.number(2, primary)
			}
		}))
	})
}

// at adds an instant at a time on a clock.
func (s *story) at(clock, time uint64, name string) {
	s.time = time
	s.add(func(p *message) {
		if clock != 0 {
			p.number(pbfield.TracePacket_TimestampClockId, clock)
		}
		p.bytes(pbfield.TracePacket_TrackEvent, nested(func(e *message) {
			e.number(pbfield.TrackEvent_Type, pbfield.TrackEvent_TYPE_INSTANT)
			e.text(pbfield.TrackEvent_Categories, "c")
			e.text(pbfield.TrackEvent_Name, name)
		}))
	})
}

func TestClocks(t *testing.T) {
	t.Run("over one snapshot or more", func(t *testing.T) {
		s := simple()
		s.clocksAt(clockBoottime, clockBoottime, 1000, clockMonotonic, 100)
		s.clocksAt(0, clockMonotonic, 200, 130, 5000)
		s.clocksAt(0, clockBoottime, 2000, clockMonotonic, 1050) // it drifts by 50
		s.at(0, 1001, "boot time")
		s.at(clockMonotonic, 102, "the last before")
		s.at(clockMonotonic, 99, "before the first")
		s.at(clockMonotonic, 1051, "the second")
		s.at(130, 5010, "two steps")
		s.at(131, 1500, "an unknown clock")
		s.tells(t, `
		# process 1 › main 5
		 999+0   c.before the first()
		1001+0   c.boot time()
		1002+0   c.the last before()
		1110+0   c.two steps()
		1500+0   c.an unknown clock()
		2001+0   c.the second()
		left out: 1 event on a clock without a snapshot; its time is used unconverted
		`)
	})
	t.Run("of a sequence", func(t *testing.T) {
		s := simple()
		s.clocksAt(clockBoottime, clockBoottime, 1000, 65, 0, 64, 7000)
		s.at(65, 1, "10 ns")
		s.at(64, 7011, "absolute")
		s.at(65, 2, "20 ns more")
		s.on(3, 10)
		s.at(65, 1, "of another sequence")
		s.clocksAt(0, clockBoottime, 2000, 65, 10)
		s.at(65, 1, "its own")
		s.tells(t, `
		# process 1 › main 5
		1010+0   c.10 ns()
		1011+0   c.absolute()
		1030+0   c.20 ns more()
		2010+0   c.its own()
		left out: 1 event without a time
		`)
	})
	t.Run("another clock of the trace", func(t *testing.T) {
		s := simple()
		s.clocksAt(clockMonotonic, clockBoottime, 1000, clockMonotonic, 100)
		s.at(0, 120, "as it is")
		s.at(clockBoottime, 1030, "boot time")
		s.clocksAt(clockBoottime, clockBoottime, 2000, clockMonotonic, 1100) // too late
		s.at(0, 140, "as it is")
		s.tells(t, `
		# process 1 › main 5
		 120+0   c.as it is()
		 130+0   c.boot time()
		 140+0   c.as it is()
		`)
	})
	t.Run("contradictions", func(t *testing.T) {
		s := simple()
		s.clocksAt(0, clockBoottime, 1000, clockMonotonic, 100)
		s.clocksAt(0, clockBoottime, 1000, clockBoottime, 1001)
		s.clocksAt(0, clockBoottime, 900, 131, 1) // valid
		s.clocksAt(0, clockBoottime, 900, 133, 1)
		s.clocksAt(0, clockBoottime, 2000, clockMonotonic, 50) // it went back
		s.at(clockMonotonic, 60, "unknown")
		s.tells(t, `
		# process 1 › main 5
		  60+0   c.unknown()
		left out: 2 clock snapshots that contradict others
		left out: 1 event on a clock without a snapshot; its time is used unconverted
		`)
	})
	t.Run("the wall clock", func(t *testing.T) {
		s := simple()
		s.clocksAt(0, clockBoottime, 1000, clockRealtime, 5_000_000_000)
		s.at(0, 1100, "A")
		w := s.tells(t, `
		# process 1 › main 5
		1100+0   c.A()
		`)
		if want := time.Unix(5, 100); !w.result.Start.Equal(want) {
			t.Errorf("it began at %v, want %v", w.result.Start, want)
		}
	})
}

// TestEarly has events before the first snapshot that relates their clock to that of
// the trace.
func TestEarly(t *testing.T) {
	t.Run("before the first snapshot", func(t *testing.T) {
		s := simple()
		s.at(clockMonotonic, 120, "early")
		s.at(131, 1500, "an unknown clock")
		s.at(clockBoottime, 1005, "boot time")
		s.clocksAt(0, 65, 0, clockMonotonic, 130)
		s.at(65, 1, "in two steps")
		s.at(65, 1, "in two steps, behind it")
		s.clocksAt(clockBoottime, clockBoottime, 1000, clockMonotonic, 100)
		s.at(clockMonotonic, 130, "late")
		s.at(65, 1, "and behind that")
		s.tells(t, `
		# process 1 › main 5
		1005+0   c.boot time()
		1020+0   c.early()
		1030+0   c.late()
		1040+0   c.in two steps()
		1050+0   c.in two steps, behind it()
		1060+0   c.and behind that()
		1500+0   c.an unknown clock()
		left out: 1 event on a clock without a snapshot; its time is used unconverted
		`)
	})
	t.Run("another clock, told late", func(t *testing.T) {
		s := simple()
		s.at(clockBoottime, 1050, "as it is")
		s.at(131, 10, "unknown yet")
		s.clocksAt(clockMonotonic, clockMonotonic, 100, 131, 5)
		s.at(0, 130, "as it is")
		s.tells(t, `
		# process 1 › main 5
		 105+0   c.unknown yet()
		 130+0   c.as it is()
		1050+0   c.as it is()
		`)
	})
}

// TestManyEarly has more events before the first snapshot than fit into memory, and
// few, which need no file.
func TestManyEarly(t *testing.T) {
	for _, memory := range []int64{1 << 10, 1 << 16, 0} {
		s := simple()
		const n = 20_000
		for i := range uint64(n) {
			s.at(clockMonotonic, 120+i, "early")
		}
		s.clocksAt(clockBoottime, clockBoottime, 1000, clockMonotonic, 100)
		w, err := convertBytes(t, s.trace, Options{Memory: memory, TempDir: "no/such/folder"}) // with little memory it gets another
		if err != nil {
			t.Fatal(err)
		}
		all := slicesIn(t, w)
		if len(all) != n {
			t.Fatalf("%d events", len(all))
		}
		for i, e := range all {
			if e.start != 1020+int64(i) {
				t.Fatalf("event %d is at %d", i, e.start)
			}
		}
	}
}

// TestManySnapshots has more snapshots than are kept: the remaining ones convert
// times as well as before.
func TestManySnapshots(t *testing.T) {
	c := newClocks()
	for i := range int64(3 * keptSnapshots) {
		if !c.add([]reading{{clockOf(0, clockBoottime), 1000 * i, 1, false}, {clockOf(0, clockMonotonic), 1000*i - 7, 1, false}}, 0) {
			t.Fatal("refused")
		}
	}
	var via conversion
	for _, now := range []int64{-100, 0, 5, 1 << 20, 3000 * keptSnapshots} {
		if got, ok := c.convert(&via, clockOf(0, clockMonotonic), now); !ok || got != now+7 {
			t.Errorf("%d is %d, %v", now, got, ok)
		}
	}
	for _, table := range c.tables {
		if n := len(table.columns[0]); n > keptSnapshots {
			t.Errorf("%d snapshots are kept", n)
		}
	}
	for i := range uint32(knownClocks + 10) {
		c.add([]reading{{clockOf(0, clockBoottime), 1, 1, false}, {clockOf(i+1, 64), 0, 1, true}}, 0)
	}
	if n := len(c.domains); n > knownClocks {
		t.Errorf("%d clocks are known", n)
	}
}

// TestOldTimes has times in the fields that events had before there were clocks.
func TestOldTimes(t *testing.T) {
	s := simple()
	s.clocksAt(0, clockBoottime, 1_000_000, clockMonotonic, 0)
	old := func(number protowire.Number, us uint64, name string) {
		s.event(0, pbfield.TrackEvent_TYPE_INSTANT, name, func(e *message) { e.number(number, us) })
	}
	s.sequence = 3
	s.add(func(p *message) { p.number(pbfield.TracePacket_SequenceFlags, flagCleared) })
	old(pbfield.TrackEvent_TimestampDeltaUs, 1, "no reference yet")
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_ThreadDescriptor, nested(func(m *message) {
			m.number(1, 1)
			m.number(2, 5)
			m.number(6, 100)
		}))
	})
	old(pbfield.TrackEvent_TimestampDeltaUs, 1, "A")
	old(pbfield.TrackEvent_TimestampAbsoluteUs, 7, "B")
	old(pbfield.TrackEvent_TimestampDeltaUs, 2, "C")
	s.event(0, pbfield.TrackEvent_TYPE_INSTANT, "no time")
	s.tells(t, `
		# process 1 › main 5
		1007000+0   c.B()
		1101000+0   c.A()
		1103000+0   c.C()
		left out: 2 events without a time
		`)
}
