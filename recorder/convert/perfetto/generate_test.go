package perfetto

import (
	"encoding/binary"
	"io"
	"math/rand/v2"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
)

// generated is a trace of any size, as a program's threads would write it through
// Perfetto's client library: pairs of nested slices, every fourth with arguments,
// and counters and instants between them. The threads take turns in the trace, as
// when a service reads its buffers.
type generated struct {
	threads int
	size    int64 // bytes, roughly; only whole turns are written
	turn    int   // pairs that a thread writes in a turn
	names   int   // number of names of slices; 0 means a dozen

	pairs int64 // made so far
}

// message builds an encoded message from its fields.
type message []byte

func (m *message) number(field protowire.Number, v uint64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), v)
}

func (m *message) fixed(field protowire.Number, v uint64) {
	*m = protowire.AppendFixed64(protowire.AppendTag(*m, field, protowire.Fixed64Type), v)
}

func (m *message) text(field protowire.Number, s string) {
	*m = protowire.AppendString(protowire.AppendTag(*m, field, protowire.BytesType), s)
}

func (m *message) bytes(field protowire.Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

// stamps adds the fields that a service appends to each packet of a sequence.
func (m *message) stamps(sequence int) {
	m.number(pbfield.TracePacket_TrustedUid, 0)
	m.number(pbfield.TracePacket_TrustedPacketSequenceId, uint64(sequence))
	m.number(pbfield.TracePacket_TrustedPid, 29760)
}

// appendPacket appends a packet to a trace.
func appendPacket(trace []byte, packet message) []byte {
	return protowire.AppendBytes(protowire.AppendTag(trace, 1, protowire.BytesType), packet)
}

// writeTo writes the trace.
func (g *generated) writeTo(w io.Writer) (written int64, err error) {
	if g.names == 0 {
		g.names = 12
	}
	out := appendPacket(nil, snapshotPacket())
	writers := make([]*generatedThread, g.threads)
	for i := range writers {
		writers[i] = &generatedThread{g: g, id: i + 2, r: rand.New(rand.NewPCG(uint64(i), 1)), time: 1000}
	}
	for written < g.size {
		for _, t := range writers {
			out = t.turn(out)
		}
		n, err := w.Write(out)
		written += int64(n)
		if err != nil {
			return written, err
		}
		out = out[:0]
	}
	return written, nil
}

// snapshotPacket returns the first packet of a service.
func snapshotPacket() message {
	var snapshot message
	for clock, time := range map[uint64]uint64{clockBoottime: 500, clockMonotonic: 400, clockRealtime: 1_700_000_000_000_000_000} {
		var c message
		c.number(1, clock)
		c.number(2, time)
		snapshot.bytes(1, c)
	}
	snapshot.number(2, clockBoottime)
	var p message
	p.bytes(pbfield.TracePacket_ClockSnapshot, snapshot)
	p.number(pbfield.TracePacket_TrustedPacketSequenceId, 1)
	p.number(pbfield.TracePacket_TimestampClockId, clockBoottime)
	return p
}

type generatedThread struct {
	g       *generated
	id      int // of its sequence
	r       *rand.Rand
	time    uint64
	begun   bool
	depth   int
	known   int // number of interned names
	scratch message
}

// turn appends the packets of one turn of the thread.
func (t *generatedThread) turn(out []byte) []byte {
	if !t.begun {
		out = t.begin(out)
	}
	for range t.g.turn {
		out = t.slice(out)
		t.g.pairs++
	}
	for ; t.depth > 0; t.depth-- {
		out = t.end(out)
	}
	return out
}

// packet appends a packet with an event.
func (t *generatedThread) packet(out []byte, event, interned message) []byte {
	p := t.scratch[:0]
	p.number(pbfield.TracePacket_Timestamp, uint64(100+t.r.IntN(4000)))
	p.number(pbfield.TracePacket_SequenceFlags, flagNeedsState)
	p.bytes(pbfield.TracePacket_TrackEvent, event)
	if len(interned) > 0 {
		p.bytes(pbfield.TracePacket_InternedData, interned)
	}
	p.stamps(t.id)
	t.scratch = p
	return appendPacket(out, p)
}

func (t *generatedThread) end(out []byte) []byte {
	return t.packet(out, message{pbfield.TrackEvent_Type << 3, pbfield.TrackEvent_TYPE_SLICE_END}, nil)
}

// slice appends the begin of one slice, and the end of some.
func (t *generatedThread) slice(out []byte) []byte {
	var interned message
	name := 1 + t.r.IntN(t.g.names)
	if t.known < t.g.names {
		t.known++
		name = t.known
		var n message
		n.number(1, uint64(name))
		n.text(2, "Slice"+string(binary.AppendUvarint(nil, uint64('A'+name%26)))+string(rune('a'+name/26%26)))
		interned.bytes(pbfield.InternedData_EventNames, n)
	}
	var e [64]byte
	event := message(e[:0])
	event.number(pbfield.TrackEvent_Type, pbfield.TrackEvent_TYPE_SLICE_BEGIN)
	event.number(pbfield.TrackEvent_CategoryIids, 1)
	if t.r.IntN(4) == 0 {
		var a, b message
		a.number(pbfield.DebugAnnotation_NameIid, 1)
		a.number(pbfield.DebugAnnotation_IntValue, uint64(t.r.IntN(100000)))
		event.bytes(pbfield.TrackEvent_DebugAnnotations, a)
		b.number(pbfield.DebugAnnotation_NameIid, 2)
		b.text(pbfield.DebugAnnotation_StringValue, "abc")
		event.bytes(pbfield.TrackEvent_DebugAnnotations, b)
	}
	event.number(pbfield.TrackEvent_NameIid, uint64(name))
	out = t.packet(out, event, interned)
	t.depth++
	for t.depth > 0 && (t.depth > 20 || t.r.IntN(2) == 0) {
		out = t.end(out)
		t.depth--
	}
	if t.r.IntN(64) == 0 {
		instant := message(e[:0])
		instant.number(pbfield.TrackEvent_Type, pbfield.TrackEvent_TYPE_INSTANT)
		instant.number(pbfield.TrackEvent_CategoryIids, 1)
		instant.number(pbfield.TrackEvent_NameIid, 1)
		out = t.packet(out, instant, nil)
		value := message(e[:0])
		value.number(pbfield.TrackEvent_Type, pbfield.TrackEvent_TYPE_COUNTER)
		value.number(pbfield.TrackEvent_TrackUuid, 7)
		value.number(pbfield.TrackEvent_CounterValue, uint64(t.depth))
		out = t.packet(out, value, nil)
	}
	return out
}

// begin appends the first packets of a writer: its clock, its track, its process.
func (t *generatedThread) begin(out []byte) []byte {
	t.begun = true
	uuid := uint64(1000 + t.id)
	var trackDefaults, defaults, now, own, snapshot, p message
	trackDefaults.number(pbfield.TrackEventDefaults_TrackUuid, uuid)
	defaults.bytes(pbfield.TracePacketDefaults_TrackEventDefaults, trackDefaults)
	defaults.number(pbfield.TracePacketDefaults_TimestampClockId, firstOwnClock)
	now.number(1, clockBoottime)
	now.number(2, t.time)
	own.number(1, firstOwnClock)
	own.number(2, t.time)
	own.number(3, 1)
	snapshot.bytes(1, now)
	snapshot.bytes(1, own)
	p.number(pbfield.TracePacket_SequenceFlags, flagCleared)
	p.bytes(pbfield.TracePacket_TracePacketDefaults, defaults)
	p.bytes(pbfield.TracePacket_ClockSnapshot, snapshot)
	p.stamps(t.id)
	out = appendPacket(out, p)
	for _, d := range t.tracks(uuid) {
		var p message
		p.number(pbfield.TracePacket_Timestamp, 0)
		p.number(pbfield.TracePacket_SequenceFlags, flagNeedsState)
		p.bytes(pbfield.TracePacket_TrackDescriptor, d)
		p.stamps(t.id)
		out = appendPacket(out, p)
	}
	var interned message
	for field, texts := range map[protowire.Number][]string{pbfield.InternedData_EventCategories: {"work"}, pbfield.InternedData_DebugAnnotationNames: {"i", "label"}} {
		for i, text := range texts {
			var entry message
			entry.number(1, uint64(i+1))
			entry.text(2, text)
			interned.bytes(field, entry)
		}
	}
	p = nil
	p.bytes(pbfield.TracePacket_InternedData, interned)
	p.stamps(t.id)
	return appendPacket(out, p)
}

// tracks returns descriptions of the thread, its process and a counter.
func (t *generatedThread) tracks(uuid uint64) []message {
	var thread, process, track, parent, counter message
	thread.number(1, 4000)
	thread.number(2, uint64(4000+t.id))
	thread.text(5, "worker")
	track.number(pbfield.TrackDescriptor_Uuid, uuid)
	track.number(pbfield.TrackDescriptor_ParentUuid, 999)
	track.bytes(pbfield.TrackDescriptor_Thread, thread)
	process.number(1, 4000)
	process.text(6, "program")
	parent.number(pbfield.TrackDescriptor_Uuid, 999)
	parent.bytes(pbfield.TrackDescriptor_Process, process)
	counter.number(pbfield.TrackDescriptor_Uuid, 7)
	counter.number(pbfield.TrackDescriptor_ParentUuid, 999)
	counter.text(pbfield.TrackDescriptor_Name, "depth")
	counter.bytes(pbfield.TrackDescriptor_Counter, nil)
	return []message{track, parent, counter}
}
