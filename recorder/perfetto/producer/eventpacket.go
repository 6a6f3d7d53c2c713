package producer

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
)

// event returns the field track_event for an event with this name.
func (n *Name) event(kind eventType) []byte {
	body := []byte{tagType, byte(kind), tagCategory}
	body = append(appendVarint(body, uint64(n.category+1)), tagName)
	body = appendVarint(body, uint64(n.id+1))
	return append([]byte{tagTrackEvent, byte(len(body))}, body...)
}

// plainRoom is the most that a packet takes besides its event.
const plainRoom = 1 + binary.MaxVarintLen64 + 2

// event writes an event at a time; 0 means now.
func (s *eventSession) event(t *Track, at uint64, kind eventType, n *Name, args []Arg) {
	sl := s.lock(t)
	if sl == nil {
		return
	}
	whole := endEvent
	fresh := false // the packet has new interned data
	if kind != typeEnd {
		if whole = n.begin; kind == typeInstant {
			whole = n.instant
		}
		fresh = !sl.names.has(n.id)
	}
	if at == 0 && len(args) == 0 && !fresh && t.uuid == sl.home {
		if room := sl.w.Small(plainRoom + len(whole)); room != nil {
			b := append(s.appendTime(room[:0], sl), whole...)
			sl.w.EndSmall(len(b))
			sl.mu.Unlock()
			return
		}
	}
	s.anyEvent(sl, t, at, kind, n, args, whole, fresh)
	sl.mu.Unlock()
}

// appendTime appends the current time and the flags that all packets have.
func (s *eventSession) appendTime(b []byte, sl *slot) []byte {
	return append(appendVarint(append(b, tagTimestamp), s.time(sl)), tagSequenceFlags, needsState)
}

// anyEvent is event for all types of events. whole is the field track_event without
// arguments; fresh means that the name is to be interned.
func (s *eventSession) anyEvent(sl *slot, t *Track, at uint64, kind eventType, n *Name, args []Arg, whole []byte, fresh bool) {
	var b []byte
	if at == 0 {
		b = s.appendTime(sl.buf[:0], sl)
	} else {
		b = appendField(appendField(sl.buf[:0], pbfield.TracePacket_Timestamp, at), pbfield.TracePacket_TimestampClockId, clockBoot)
		b = append(b, tagSequenceFlags, needsState)
	}
	if len(args) == 0 && t.uuid == sl.home {
		b = append(b, whole...)
	} else {
		body := append(sl.body[:0], whole[2:]...)
		for i := range args {
			a := &args[i]
			if a.key == nil || !s.bare {
				body = a.append(body)
			}
			fresh = fresh || a.key != nil && !sl.keys.has(a.key.id)
		}
		if t.uuid != sl.home {
			body = append(body, t.field...)
		}
		sl.body = body[:0]
		b = append(appendVarint(append(b, tagTrackEvent), uint64(len(body))), body...)
	}
	if fresh {
		b = sl.intern(b, kind, n, args)
	}
	sl.buf = b[:0]
	sl.w.Packet(b)
}

// intern appends the texts that this packet is the first to use.
func (sl *slot) intern(b []byte, kind eventType, n *Name, args []Arg) []byte {
	in := sl.interned[:0]
	if kind != typeEnd && !sl.names.has(n.id) {
		if !sl.categories.has(n.category) {
			sl.categories.add(n.category)
			in = appendInterned(in, internedCategories, n.category, n.of)
		}
		sl.names.add(n.id)
		in = appendInterned(in, internedNames, n.id, n.text)
	}
	for i := range args {
		if k := args[i].key; k != nil && !sl.keys.has(k.id) {
			sl.keys.add(k.id)
			in = appendInterned(in, internedKeys, k.id, k.text)
		}
	}
	sl.interned = in[:0]
	return append(appendVarint(append(b, tagInterned), uint64(len(in))), in...)
}

func appendInterned(b []byte, field protowire.Number, id int, text string) []byte {
	size := 1 + protowire.SizeVarint(uint64(id+1)) + 1 + protowire.SizeBytes(len(text))
	b = appendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(size))
	b = appendVarint(append(b, 1<<3), uint64(id+1))
	b = appendVarint(append(b, 2<<3|2), uint64(len(text)))
	return append(b, text...)
}

func (s *eventSession) count(t *Track, c *Counter, bits uint64, float bool) {
	sl := s.lock(t)
	if sl == nil {
		return
	}
	defer sl.mu.Unlock()
	if !s.describe(sl, &c.track) {
		return
	}
	b := s.appendTime(sl.buf[:0], sl)
	body := append(sl.body[:0], tagType, byte(typeCounter))
	body = append(body, c.track.field...)
	if float {
		body = protowire.AppendFixed64(protowire.AppendTag(body, pbfield.TrackEvent_DoubleCounterValue, protowire.Fixed64Type), bits)
	} else {
		body = appendField(body, pbfield.TrackEvent_CounterValue, bits)
	}
	sl.body = body[:0]
	b = append(appendVarint(append(b, tagTrackEvent), uint64(len(body))), body...)
	sl.buf = b[:0]
	sl.w.Packet(b)
}
