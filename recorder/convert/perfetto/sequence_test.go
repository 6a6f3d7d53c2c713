package perfetto

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"testing"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
)

// needing adds an event that depends on the state of its sequence.
func (s *story) needing(time uint64, name uint64, more ...func(p *message)) {
	s.time = time
	s.add(func(p *message) {
		p.number(pbfield.TracePacket_SequenceFlags, flagNeedsState)
		for _, f := range more {
			f(p)
		}
		p.bytes(pbfield.TracePacket_TrackEvent, nested(func(e *message) {
			e.number(pbfield.TrackEvent_Type, pbfield.TrackEvent_TYPE_INSTANT)
			e.number(pbfield.TrackEvent_TrackUuid, 10)
			e.number(pbfield.TrackEvent_NameIid, name)
		}))
	})
}

func naming(iid uint64, name string) func(p *message) {
	return field(pbfield.TracePacket_InternedData, nested(func(in *message) {
		in.bytes(pbfield.InternedData_EventNames, nested(func(n *message) {
			n.number(1, iid)
			n.text(2, name)
		}))
	}))
}

func TestState(t *testing.T) {
	s := &story{sequence: 2}
	s.needing(90, 1, naming(1, "before it is cleared"))
	s.on(2, 10)
	s.track(10, 0, "", ofThreadOf(1, 5, "main"))
	s.needing(100, 1, naming(1, "A"))
	s.needing(110, 1)
	s.needing(120, 1, func(p *message) { p.number(pbfield.TracePacket_PreviousPacketDropped, 1) })
	s.needing(130, 1)
	s.instant(135, "needs nothing", onTrack(10))
	s.on(2, 10)
	s.needing(140, 1, naming(1, "B"))
	s.needing(150, 1, func(p *message) {
		p.number(pbfield.TracePacket_PreviousPacketDropped, 1)
		p.number(pbfield.TracePacket_IncrementalStateCleared, 1)
		naming(1, "C")(p)
	})
	s.sequence = 3
	s.needing(160, 1)
	s.sequence = 0
	s.needing(170, 1)
	s.instant(180, "without a sequence", onTrack(10))
	s.tells(t, `
		# process 1 › main 5
		 100+0   A()
		 110+0   A()
		 135+0   c.needs nothing()
		 140+0   B()
		 150+0   C()
		left out: 5 packets that refer to lost packets
		left out: 2 reports of lost packets
		left out: 1 event without a sequence
		`)
}

// TestManySequences has more sequences than are remembered, and one whose state
// takes too much memory.
func TestManySequences(t *testing.T) {
	var q sequences
	for id := range uint32(3 * knownSequences) {
		q.get(id + 10).valid = true
		q.get(5).valid = true // in use
	}
	if n := len(q.young) + len(q.old); n > 2*knownSequences {
		t.Errorf("%d sequences are known", n)
	}
	if q.forgotten == 0 || !q.get(5).valid || !q.get(3*knownSequences+9).valid || q.get(10).valid {
		t.Error("other sequences are forgotten than those that were silent")
	}

	large := q.get(5)
	text := make([]byte, 1<<20)
	for i := range uint64(60) {
		entry := nested(func(n *message) {
			n.number(1, i+1)
			n.bytes(2, text)
		})
		large.read(nested(func(in *message) { in.bytes(pbfield.InternedData_EventNames, entry) }))
		q.count(large)
	}
	if large.valid || large.bytes > knownState {
		t.Errorf("a state of %d bytes", large.bytes)
	}
}

// TestCompressed has packets within compressed ones, some of them damaged.
func TestCompressed(t *testing.T) {
	inner := simple()
	inner.begin(100, "A")
	inner.end(110)
	deflate := func(b []byte) func(*message) {
		var out bytes.Buffer
		z := zlib.NewWriter(&out)
		z.Write(b)
		z.Close()
		return field(pbfield.TracePacket_CompressedPackets, out.Bytes())
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := func(b []byte) func(*message) {
		return field(pbfield.TracePacket_ZstdCompressedPackets, z.EncodeAll(b, nil))
	}
	other := simple()
	other.begin(150, "D")
	other.end(160)
	s := &story{}
	s.add(field(pbfield.TracePacket_CompressedPackets, message("no zlib")))
	s.add(field(pbfield.TracePacket_ZstdCompressedPackets, message("no zstd")))
	s.add(deflate(inner.trace))
	s.add(packed(other.trace))
	s.add(field(pbfield.TracePacket_CompressedPackets, message("no zlib")))
	s.add(packed(other.trace[:len(other.trace)-3])) // cut
	s.add(packed(appendPacket(nil, nested(deflate(inner.trace)))))
	s.add(packed(nil))
	s.add(deflate(appendPacket(nil, nested(deflate(inner.trace)))))
	s.add(deflate(nil))
	cut := simple()
	cut.time = 1
	cut.instant(120, "B")
	s.add(deflate(append(cut.trace, 1<<3|bytesKey, 100)))
	s.instant(130, "C")
	s.trace = append(s.trace, inner.trace...)
	s.tells(t, `
		# process 1 › main 5
		 100+10  c.A()
		 100+10    A()
		 120+0   c.B()
		 150+10  c.D(): <unfinished method>
		 150+10    D()
		left out: 7 damaged packets
		left out: 1 event without a sequence
		`)
}

// TestUnknownFields has packets with unknown fields besides their data: the data is
// used, wherever it is.
func TestUnknownFields(t *testing.T) {
	unknown := func(p *message) { p.bytes(1950, message("new")); p.number(1951, 1) }
	event := func(name string) func(p *message) {
		return field(pbfield.TracePacket_TrackEvent, nested(func(e *message) {
			e.number(pbfield.TrackEvent_Type, pbfield.TrackEvent_TYPE_INSTANT)
			e.text(pbfield.TrackEvent_Name, name)
		}))
	}
	s := simple()
	s.time = 100
	s.add(func(p *message) { event("before")(p); unknown(p) })
	s.time = 101
	s.add(func(p *message) { unknown(p); event("behind")(p) })
	s.add(func(p *message) {
		p.bytes(pbfield.TracePacket_TrackDescriptor, nested(func(d *message) {
			d.number(pbfield.TrackDescriptor_Uuid, 20)
			ofThreadOf(1, 6, "described")(d)
		}))
		unknown(p)
	})
	s.instant(110, "C", onTrack(20))
	s.tells(t, `
		# process 1 › main 5
		 100+0   before()
		 101+0   behind()
		# process 1 › described 6
		 110+0   c.C()
		`)
}

// TestReadKinds has a packet of each kind: it is read, counted as left out, or about
// the recording, and a kind that is read is not hidden by a field that is not.
func TestReadKinds(t *testing.T) {
	kinds := 0
	for number := protowire.Number(1); number < 2000; number++ {
		var b message
		field(number, message("\xff\xff"))(&b)
		var p packet
		if p.parse(b); p.kind == 0 {
			continue
		}
		kinds++
		c := New(Options{})
		if err := c.Packet(b); err != nil {
			t.Fatal(err)
		}
		if counted := len(c.kinds) > 0; counted == (read(number) || aboutRecording[number]) {
			t.Errorf("a packet of kind %d: counted as left out: %v, read: %v", number, counted, read(number))
		}
		c.Close()
	}
	if kinds < 1900 {
		t.Errorf("%d kinds", kinds)
	}
}

// TestUnpatched has packets whose writer died: lengths within them are zeros. Only
// the unreadable fields are lost.
func TestUnpatched(t *testing.T) {
	s := simple()
	s.clocksAt(0, clockBoottime, 1000, 65, 0)
	stamped := func(time uint64, fill func(p *message)) {
		var p message
		p.number(pbfield.TracePacket_Timestamp, time)
		p.number(pbfield.TracePacket_TimestampClockId, 65)
		fill(&p)
		p.stamps(2)
		p.number(pbfield.TracePacket_PreviousPacketDropped, 0)
		s.trace = appendPacket(s.trace, p)
	}
	event := func(kind uint64, name string) message {
		return nested(func(e *message) {
			e.number(pbfield.TrackEvent_Type, kind)
			if name != "" {
				e.text(pbfield.TrackEvent_Name, name)
			}
		})
	}
	zeros := message{0, 0, 0, 0}
	begun := func(name string) func(p *message) {
		return func(p *message) {
			p.bytes(pbfield.TracePacket_TrackEvent, event(pbfield.TrackEvent_TYPE_SLICE_BEGIN, name))
		}
	}
	stamped(1, begun("A"))
	stamped(1, func(p *message) { // within the event
		e := append(event(pbfield.TrackEvent_TYPE_SLICE_BEGIN, "B"), pbfield.TrackEvent_DebugAnnotations<<3|bytesKey)
		p.bytes(pbfield.TracePacket_TrackEvent, append(append(e, zeros...), "name"...))
	})
	stamped(1, func(p *message) { // after the event
		begun("C")(p)
		*p = append(append(*p, pbfield.TracePacket_InternedData<<3|bytesKey), zeros...)
	})
	stamped(1, func(p *message) { // the event itself
		*p = append(append(*p, pbfield.TracePacket_TrackEvent<<3|bytesKey), zeros...)
		*p = append(*p, event(pbfield.TrackEvent_TYPE_INSTANT, "lost")...)
	})
	for range 3 {
		stamped(1, func(p *message) {
			p.bytes(pbfield.TracePacket_TrackEvent, event(pbfield.TrackEvent_TYPE_SLICE_END, ""))
		})
	}
	s.tells(t, `
		# process 1 › main 5
		1010+60  A()
		1020+40    B()
		1030+20      C()
		left out: 3 damaged packets
		left out: 1 damaged or excess argument
		`)
}

// TestKinds has packets of kinds that are not read.
func TestKinds(t *testing.T) {
	s := simple()
	s.time = 100
	for number := 1; number < 2000; number++ {
		if !read(protowire.Number(number)) {
			s.add(field(protowire.Number(number), message("\xff\xff")))
		}
	}
	s.add(func(p *message) { p.number(1, 7) })
	w, err := convertBytes(t, s.trace, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int64)
	for _, l := range w.result.LeftOut {
		got[l.What] = l.Count
	}
	if got["packets of kind 1 (ftrace_events)"] != 2 || got["packet of kind 300 (unknown)"] != 1 ||
		got["packets of other kinds"] < 100 || len(got) > knownKinds+10 {
		t.Errorf("%d kinds are left out: %v", len(got), fmt.Sprint(got)[:300])
	}
}
