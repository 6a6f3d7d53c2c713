package producer

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

func newEventSession(e *Events, i *Instance) *eventSession {
	config := i.Config().GetTrackEventConfig()
	s := &eventSession{
		e: e, instance: i, multiplier: max(1, config.GetTimestampUnitMultiplier()),
		absolute: config.GetDisableIncrementalTimestamps(), bare: config.GetFilterDebugAnnotations(),
		slots: make([]slot, 1<<(bits.Len(uint(i.Writers()))-1)),
	}
	i.flushOwn = func() { s.each((*smb.Writer).Flush) }
	return s
}

// choose determines which categories the session wants. Called with the Events' lock
// held.
func (s *eventSession) choose(categories []Category) {
	config := s.instance.Config().GetTrackEventConfig()
	chosen := make([]bool, len(categories))
	for i := range categories {
		chosen[i] = wanted(config, &categories[i])
	}
	s.chosen.Store(&chosen)
}

func (s *eventSession) wants(n *Name) bool { return (*s.chosen.Load())[n.category] }

// each calls do for each writer while it is not in use.
func (s *eventSession) each(do func(*smb.Writer)) {
	for i := range s.slots {
		sl := &s.slots[i]
		sl.mu.Lock()
		if sl.w != nil {
			do(sl.w)
		}
		sl.mu.Unlock()
	}
}

func (s *eventSession) close() {
	for i := range s.slots {
		sl := &s.slots[i]
		sl.mu.Lock()
		sl.closed = true
		if sl.w != nil {
			sl.w.Close()
			sl.w = nil // late events are no loss of the writer
		}
		sl.mu.Unlock()
	}
}

// lock returns the slot of a track, ready for a packet on that track, or nil if none
// can be written. The caller must unlock it.
func (s *eventSession) lock(t *Track) *slot {
	sl := &s.slots[int(t.number)&(len(s.slots)-1)]
	sl.mu.Lock()
	if sl.w == nil && !s.open(sl) {
		sl.mu.Unlock()
		return nil
	}
	next := sl.w.Next()
	if next == smb.Plain && t.slot == sl && t.round == sl.round {
		return sl
	}
	if next == smb.Skip || !s.ready(sl, t, next) {
		sl.mu.Unlock()
		return nil
	}
	t.slot, t.round = sl, sl.round
	return sl
}

func (s *eventSession) open(sl *slot) bool {
	if sl.closed {
		return false
	}
	w, err := s.instance.NewWriter()
	if err != nil {
		return false
	}
	sl.w = w
	return true
}

// ready writes the packets that have to precede one on a track. If one of them is
// lost, that packet is lost too: the writer notes both.
func (s *eventSession) ready(sl *slot, t *Track, next smb.Next) bool {
	if next == smb.Reset {
		sl.reset(t)
		if !sl.w.Packet(s.preamble(sl, t)) || sl.w.Next() != smb.Plain {
			return false
		}
	}
	return s.describe(sl, s.e.process) && s.describe(sl, t)
}

// reset forgets the state that the sequence has written.
func (sl *slot) reset(t *Track) {
	sl.round++
	sl.home = t.uuid
	clear(sl.names)
	clear(sl.keys)
	clear(sl.categories)
	if sl.described == nil {
		sl.described = map[uint64]struct{}{}
	}
	clear(sl.described)
}

// describe describes a track, unless the sequence has done so.
func (s *eventSession) describe(sl *slot, t *Track) bool {
	if _, ok := sl.described[t.uuid]; ok {
		return true
	}
	if t.parent != nil && !s.describe(sl, t.parent) {
		return false
	}
	if len(sl.described) >= maxDescribed {
		clear(sl.described) // describing a track twice does no harm
	}
	b := appendVarint(append(sl.buf[:0], tagTimestamp), s.time(sl))
	b = append(append(b, tagSequenceFlags, needsState), t.descriptor...)
	sl.buf = b[:0]
	sl.described[t.uuid] = struct{}{}
	return sl.w.Packet(b) && sl.w.Next() == smb.Plain
}

// time returns the timestamp of the next packet.
func (s *eventSession) time(sl *slot) uint64 {
	now := s.now()
	if s.absolute {
		return now
	}
	d := now - sl.last
	sl.last = now
	return d
}

func (s *eventSession) now() uint64 {
	now := s.e.clock.now()
	if s.multiplier > 1 {
		now /= s.multiplier
	}
	return now
}

// Clocks of a sequence, and the boot clock that all share.
const (
	clockBoot        = uint64(messages.BuiltinClock_BUILTIN_CLOCK_BOOTTIME)
	clockIncremental = 64
	clockAbsolute    = 65
)

// preamble returns the packet that a sequence begins with: a reading of its clock,
// and the default track of its events.
func (s *eventSession) preamble(sl *slot, t *Track) []byte {
	now, boot := SameMoment(s.e.clock.now)
	sl.last, boot = now/s.multiplier, boot-now%s.multiplier
	id, stamp := uint64(clockIncremental), uint64(0)
	clock := appendClock(nil, clockIncremental, sl.last)
	clock = appendField(appendField(clock, pbfield.ClockSnapshot_Clock_IsIncremental, 1), pbfield.ClockSnapshot_Clock_UnitMultiplierNs, s.multiplier)
	if s.absolute {
		id, stamp = clockAbsolute, sl.last
		clock = appendField(appendClock(nil, clockAbsolute, sl.last), pbfield.ClockSnapshot_Clock_UnitMultiplierNs, s.multiplier)
	}
	defaults := appendField(nil, pbfield.TracePacketDefaults_TimestampClockId, id)
	defaults = appendMessage(defaults, pbfield.TracePacketDefaults_TrackEventDefaults, t.field)
	snapshot := appendMessage(nil, pbfield.ClockSnapshot_Clocks, appendClock(nil, clockBoot, boot))
	snapshot = appendMessage(snapshot, pbfield.ClockSnapshot_Clocks, clock)
	b := appendField(sl.buf[:0], pbfield.TracePacket_Timestamp, stamp)
	b = appendField(b, pbfield.TracePacket_SequenceFlags, stateCleared)
	b = appendMessage(b, pbfield.TracePacket_TracePacketDefaults, defaults)
	return appendMessage(b, pbfield.TracePacket_ClockSnapshot, snapshot)
}

// appendClock appends the number and the time of a clock.
func appendClock(b []byte, id, time uint64) []byte {
	return appendField(appendField(b, pbfield.ClockSnapshot_Clock_ClockId, id), pbfield.ClockSnapshot_Clock_Timestamp, time)
}

// wanted reports whether a session wants events of a category, by the rules of
// Perfetto's library. Exact names take precedence over patterns such as "net*", and
// those over "*"; within each, categories take precedence over tags. The default is
// true, except for slow and debug categories if the session's config has no tags.
func wanted(config *messages.TrackEventConfig, c *Category) bool {
	name, tags := []string{c.Name}, c.Tags
	if strings.HasPrefix(c.Name, "disabled-by-default-") {
		tags = append(slices.Clip(tags), "slow") // Chrome's older notation
	}
	unwantedTags := config.GetDisabledTags()
	if len(unwantedTags) == 0 && len(config.GetEnabledTags()) == 0 {
		unwantedTags = []string{"slow", "debug"}
	}
	for _, matches := range []func(pattern, name string) bool{exactly, byPattern, always} {
		switch {
		case anyMatch(config.GetEnabledCategories(), name, matches):
			return true
		case anyMatch(config.GetDisabledCategories(), name, matches), anyMatch(unwantedTags, tags, matches):
			return false
		case anyMatch(config.GetEnabledTags(), tags, matches):
			return true
		}
	}
	return true
}

func anyMatch(patterns, names []string, matches func(pattern, name string) bool) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return matches(p, n) })
	})
}

func exactly(pattern, name string) bool { return pattern == name && !strings.Contains(pattern, "*") }

// byPattern matches the part before the first star, if it is not empty.
func byPattern(pattern, name string) bool {
	prefix, _, found := strings.Cut(pattern, "*")
	return found && prefix != "" && strings.HasPrefix(name, prefix)
}

func always(pattern, _ string) bool { return strings.HasPrefix(pattern, "*") }

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
