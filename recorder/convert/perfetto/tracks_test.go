package perfetto

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
)

// TestProcesses: several processes.
func TestProcesses(t *testing.T) {
	s := &story{}
	for i := range uint64(2) {
		pid := 100 * (i + 1)
		s.on(2+i, pid+1)
		s.time = 50
		// The process is described after its thread.
		s.track(pid+1, pid, "", ofThreadOf(pid, 7, "worker"))
		s.track(pid, 0, "", ofProcessOf(pid, "/bin/prog"))
		s.begin(100, "A")
		s.end(110)
		s.instant(105, "of the process", onTrack(pid))
	}
	s.on(4, 201)
	s.track(202, 200, "", ofThreadOf(200, 200, "main"))
	s.instant(120, "late", onTrack(202))
	s.tells(t, `
	# /bin/prog 100 › worker 7
	 100+10  c.A()
	# /bin/prog 100
	 105+0   c.of the process()
	# /bin/prog 200 › main 200
	 120+0   c.late()
	# /bin/prog 200 › worker 7
	 100+10  c.A()
	# /bin/prog 200
	 105+0   c.of the process()
	`)
}

// TestTracksInTracks: nested tracks.
func TestTracksInTracks(t *testing.T) {
	s := simple()
	s.track(20, 10, "Requests")
	s.track(21, 20, "Details")
	s.track(30, 0, "Everywhere")
	s.begin(100, "A", onTrack(20))
	s.begin(101, "B", onTrack(21))
	s.end(102, onTrack(21))
	s.end(103, onTrack(20))
	s.instant(104, "I", onTrack(30))
	s.instant(105, "of track 0", onTrack(0))
	s.tells(t, `
	# process 1 › main 5 › Requests
	 100+3   c.A()
	# process 1 › main 5 › Requests › Details
	 101+1   c.B()
	# Everywhere
	 104+0   c.I()
	# Default Track
	 105+0   c.of track 0()
	`)
}

// TestCircle: a cycle of parents.
func TestCircle(t *testing.T) {
	s := simple()
	s.track(20, 21, "A")
	s.track(21, 20, "B")
	s.instant(100, "I", onTrack(20))
	w, err := convertBytes(t, s.trace, Options{})
	if err != nil || !strings.HasSuffix(w.result.Threads[0].Name, "A › B › A") {
		t.Errorf("%v, %v", w.result.Threads, err)
	}
}

// TestJoined: tracks that are joined, and tracks that are not.
func TestJoined(t *testing.T) {
	s := simple()
	for i := range uint64(3) {
		s.track(20+i, 10, "Async")
	}
	apart := func(d *message) {
		d.number(pbfield.TrackDescriptor_SiblingMergeBehavior, pbfield.TrackDescriptor_SIBLING_MERGE_BEHAVIOR_NONE)
	}
	s.track(30, 10, "Async", apart)
	s.begin(100, "A", onTrack(20))
	s.begin(110, "B", onTrack(21))
	s.begin(115, "B in B", onTrack(21))
	s.end(120, onTrack(20))
	s.instant(125, "takes the lane that is free", onTrack(22))
	s.end(130, onTrack(21))
	s.end(131, onTrack(21))
	s.instant(140, "stays", onTrack(21))
	s.instant(150, "alone", onTrack(30))
	s.end(160, onTrack(22))
	s.tells(t, `
	# process 1 › main 5 › Async
	 100+20  c.A()
	 125+0   c.takes the lane that is free()
	# process 1 › main 5 › Async #2
	 110+21  c.B()
	 115+15    B in B()
	 140+0   c.stays()
	# process 1 › main 5 › Async
	 150+0   c.alone()
	left out: 1 slice end without a begin
	`)
}

// TestJoinedByKey: tracks joined by a key.
func TestJoinedByKey(t *testing.T) {
	s := simple()
	byKey := func(d *message) {
		d.number(pbfield.TrackDescriptor_SiblingMergeBehavior, pbfield.TrackDescriptor_SIBLING_MERGE_BEHAVIOR_BY_SIBLING_MERGE_KEY)
		d.number(pbfield.TrackDescriptor_SiblingMergeKeyInt, 5)
	}
	s.track(20, 10, "First", byKey)
	s.track(21, 10, "Second", byKey)
	s.instant(100, "A", onTrack(20))
	s.instant(101, "B", onTrack(21))
	s.tells(t, `
	# process 1 › main 5 › First
	 100+0   c.A()
	 101+0   c.B()
	`)
}

// TestDescribedLate: tracks with late descriptions, or none.
func TestDescribedLate(t *testing.T) {
	s := simple()
	s.instant(100, "A", onTrack(20))
	s.instant(101, "B", onTrack(21))
	s.instant(102, "A", onTrack(22))
	s.instant(103, "B", onTrack(23))
	s.on(3, 10)
	s.track(20, 0, "Late")
	s.track(23, 0, "", ofThreadOf(1, 9, "late thread"))
	s.instant(104, "C", onTrack(20))
	s.instant(99, "C", onTrack(23))
	s.tells(t, `
	# process 1 › late thread 9
	  99+0   c.C()
	 103+0   c.B()
	# Late
	 100+0   c.A()
	 104+0   c.C()
	# B
	 101+0   c.B()
	# A
	 102+0   c.A()
	`)
}

// TestLateOrder describes a track between two events with the same time: they keep
// their order.
func TestLateOrder(t *testing.T) {
	s := simple()
	s.begin(100, "A", onTrack(20))
	s.track(20, 0, "", ofThreadOf(1, 9, "late"))
	s.end(100, onTrack(20))
	s.tells(t, `
	# process 1 › late 9
	 100+0   c.A()
	`)
}

// TestTrackNames has descriptions with several names, and empty ones.
func TestTrackNames(t *testing.T) {
	s := simple()
	name := func(number protowire.Number, name string) func(*message) {
		return func(d *message) { d.text(number, name) }
	}
	s.track(20, 10, "", name(pbfield.TrackDescriptor_AtraceName, "atrace"), name(pbfield.TrackDescriptor_StaticName, "static"))
	s.track(21, 10, "", name(pbfield.TrackDescriptor_StaticName, "static 21"), name(pbfield.TrackDescriptor_AtraceName, "atrace"))
	s.track(22, 10, "name", name(pbfield.TrackDescriptor_StaticName, "static"))
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_TrackDescriptor, nested(func(d *message) { d.text(pbfield.TrackDescriptor_Name, "no number") }))
	})
	s.track(0, 10, "below")
	for i := range uint64(3) {
		s.instant(100+i, "A", onTrack(20+i))
	}
	s.instant(110, "B", onTrack(0))
	s.tells(t, `
	# process 1 › main 5 › static
	 100+0   c.A()
	# process 1 › main 5 › static 21
	 101+0   c.A()
	# process 1 › main 5 › name
	 102+0   c.A()
	# Default Track
	 110+0   c.B()
	left out: 2 track descriptors without a UUID, or of track 0 with a parent
	`)
}

// TestLanes has more simultaneous slices on tracks with one name than are shown.
func TestLanes(t *testing.T) {
	s := simple()
	const n = maxLanes + 3
	for i := range uint64(n) {
		s.begin(100, "A", onTrack(1000+i))
	}
	for i := range uint64(n) {
		s.end(200, onTrack(1000+i))
	}
	s.begin(300, "A", onTrack(1001+n))
	w, err := convertBytes(t, s.trace, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.result.Threads) != maxLanes || w.result.Events != maxLanes+1 {
		t.Errorf("%d threads, %d events", len(w.result.Threads), w.result.Events)
	}
	if got := fmt.Sprint(w.result.LeftOut); !strings.Contains(got, tooManyLanes.Several) {
		t.Errorf("left out: %s", got)
	}
	slicesIn(t, w)
}

// TestNames has processes and threads named by older packets.
func TestNames(t *testing.T) {
	s := &story{sequence: 2}
	s.add(func(p *message) { p.number(pbfield.TracePacket_SequenceFlags, flagCleared) })
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_ThreadDescriptor, nested(func(m *message) {
			m.number(1, 300)
			m.number(2, 301)
			m.text(5, "render")
		}))
	})
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_ProcessDescriptor, nested(func(m *message) {
			m.number(1, 300)
			m.text(2, "browser")
			m.text(2, "--flag")
		}))
	})
	s.instant(100, "A")
	s.sequence = 3
	s.add(func(p *message) { p.number(pbfield.TracePacket_SequenceFlags, flagCleared) })
	s.track(40, 0, "", field(pbfield.TrackDescriptor_Thread, nested(func(m *message) {
		m.number(1, 400)
		m.number(2, 401)
	})))
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_ProcessTree, nested(func(tree *message) {
			tree.bytes(1, nested(func(m *message) {
				m.number(1, 400)
				m.number(2, 1)
				m.text(3, "/sbin/daemon")
			}))
			tree.bytes(2, nested(func(m *message) {
				m.number(1, 401)
				m.text(2, "io")
				m.number(3, 400)
			}))
		}))
	})
	s.instant(101, "B", onTrack(40))
	s.tells(t, `
		# browser 300 › render 301
		 100+0   c.A()
		# /sbin/daemon 400 › io 401
		 101+0   c.B()
		`)
}

// TestSeveralThings has tracks that are described as several things at once.
func TestSeveralThings(t *testing.T) {
	s := simple()
	states := func(d *message) { d.bytes(pbfield.TrackDescriptor_State, nil) }
	s.track(20, 0, "", ofThreadOf(1, 6, "thread"), ofProcessOf(1, "process"), states)
	s.track(21, 0, "", ofProcessOf(2, "other"), states)
	s.begin(100, "A", onTrack(20))
	s.event(105, pbfield.TrackEvent_TYPE_STATE, "no state", onTrack(20))
	s.end(110, onTrack(20))
	s.begin(120, "B", onTrack(21))
	s.event(125, pbfield.TrackEvent_TYPE_STATE, "no state", onTrack(21))
	s.end(130, onTrack(21))
	s.tells(t, `
		# process 1 › thread 6
		 100+10  c.A()
		# other 2
		 120+10  c.B()
		left out: 2 events of unknown types
		`)
}

// TestChromeNames has processes and threads of which only the type is known.
func TestChromeNames(t *testing.T) {
	s := simple()
	number := func(field protowire.Number, n uint64) func(*message) {
		return func(m *message) { m.number(field, n) }
	}
	of := func(pid, tid uint64, more ...func(*message)) message {
		return nested(func(m *message) {
			m.number(1, pid)
			if tid != 0 {
				m.number(2, tid)
			}
			for _, f := range more {
				f(m)
			}
		})
	}
	s.track(20, 0, "", field(pbfield.TrackDescriptor_Process, of(200, 0)), field(trackChrome, nested(number(1, 2))))
	s.track(21, 20, "", field(pbfield.TrackDescriptor_Thread, of(200, 201)), field(trackChromeMore, nested(number(1, 8))))
	s.track(30, 0, "", field(pbfield.TrackDescriptor_Process, of(300, 0, number(4, 6))))
	s.track(31, 30, "", field(pbfield.TrackDescriptor_Thread, of(300, 301, number(4, 18))))
	s.track(41, 30, "", field(pbfield.TrackDescriptor_Thread, of(300, 302, number(4, 18), func(m *message) { m.text(5, "named") })))
	s.instant(100, "A", onTrack(21))
	s.instant(101, "B", onTrack(31))
	s.instant(102, "C", onTrack(41))
	s.tells(t, `
		# Renderer 200 › Compositor 201
		 100+0   c.A()
		# Gpu 300 › CrGpuMain 301
		 101+0   c.B()
		# Gpu 300 › named 302
		 102+0   c.C()
		`)
}

// TestTriggers has both kinds of packets about triggers.
func TestTriggers(t *testing.T) {
	s := simple()
	s.time = 100
	for _, kind := range []protowire.Number{pbfield.TracePacket_Trigger, pbfield.TracePacket_CloneSnapshotTrigger} {
		s.add(func(p *message) {
			p.bytes(kind, nested(func(m *message) {
				m.text(1, "fired")
				m.text(2, "producer")
				m.number(3, 1000)
			}))
		})
		s.time = 110
	}
	s.tells(t, `
		# Trace Triggers
		 100+0   fired(producer_name ➜ "producer", trusted_producer_uid ➜ 1000)
		 110+0   fired(producer_name ➜ "producer", trusted_producer_uid ➜ 1000)
		`)
}
