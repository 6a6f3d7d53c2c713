package perfetto

import "tracex/format/pbfield"

// sequence is the state of one writer's packets: the incremental state, which
// flagCleared resets, and the state that persists. Both have a field for each default that the
// packets of a sequence may leave out.
type sequence struct {
	id    uint32
	met   bool // it has had a packet
	valid bool // no packet of the state was lost
	interned
	clock        uint32 // for packets without a clock; 0 for that of the trace
	track        uint64 // for events without a track; 0 if none
	counters     []uint64
	doubles      []uint64           // like counters, for floating-point values
	running      map[uint64]float64 // values of incremental counters
	counted      int64              // bytes of interned that sequences includes
	conversion   conversion
	thread       threadID // of the writer, by the older descriptor
	hasThread    bool
	reference    int64 // ns: the base of timestamp_delta_us
	hasReference bool

	last         uint64 // the last track looked up, and its timeline
	lastTimeline *timeline
}

// clear resets the sequence's incremental state.
func (s *sequence) clear() {
	s.interned = interned{}
	s.clock, s.track, s.counters, s.doubles = 0, 0, nil, nil
	s.running = nil
	s.hasReference = false
	s.valid = true
}

// lose records the loss of a packet of the sequence.
func (s *sequence) lose() {
	s.valid = false
	s.running = nil
	s.hasReference = false
}

// setDefaults reads a TracePacketDefaults, which replaces the previous one.
func (s *sequence) setDefaults(b []byte, machine uint32) bool {
	s.clock, s.track, s.counters, s.doubles = 0, 0, nil, nil
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case pbfield.TracePacketDefaults_TimestampClockId:
			s.clock = uint32(f.value)
		case pbfield.TracePacketDefaults_TrackEventDefaults:
			g := fields{rest: f.raw}
			for g.next() {
				switch g.number {
				case pbfield.TrackEventDefaults_TrackUuid:
					s.track = g.value
				case pbfield.TrackEventDefaults_ExtraCounterTrackUuids:
					s.counters = g.numbers(s.counters, varint)
				case pbfield.TrackEventDefaults_ExtraDoubleCounterTrackUuids:
					s.doubles = g.numbers(s.doubles, varint)
				}
			}
			f.bad = f.bad || g.bad
		}
	}
	s.track = trackOn(machine, s.track)
	tracksOn(machine, s.counters)
	tracksOn(machine, s.doubles)
	return !f.bad
}

// sequences holds the most recently used sequences. If a sequence was silent while
// the others used more memory than knownState, its state is dropped, as if one of
// its packets had been lost.
type sequences struct {
	young, old map[uint32]*sequence
	bytes      int64 // of the state of the young ones
	forgotten  int64
	last       *sequence // the last one looked up; nil if none
}

// get returns the sequence with an id, and makes it if it is new.
func (q *sequences) get(id uint32) *sequence {
	if q.last != nil && q.last.id == id {
		return q.last
	}
	if s := q.young[id]; s != nil {
		q.last = s
		return s
	}
	s := q.old[id]
	if s == nil {
		s = &sequence{id: id}
	} else {
		delete(q.old, id)
	}
	if q.young == nil || len(q.young) >= knownSequences {
		q.turn()
	}
	q.young[id], q.last = s, s
	s.counted = 0
	q.count(s)
	return s
}

// turn makes the young sequences old, and drops the old ones.
func (q *sequences) turn() {
	q.forgotten += int64(len(q.old))
	q.young, q.old, q.bytes = make(map[uint32]*sequence), q.young, 0
}

// count updates the memory used by the sequence that was looked up last.
func (q *sequences) count(s *sequence) {
	if s.bytes > knownState {
		s.interned = interned{}
		s.lose()
		q.forgotten++
	}
	now := s.bytes + sequenceCost
	if q.bytes += now - s.counted; q.bytes > knownState {
		delete(q.young, s.id)
		q.turn()
		q.young[s.id], q.bytes = s, now
	}
	s.counted = now
}

// updateState updates the state of a sequence from a packet.
func (c *Converter) updateState(p *packet, s *sequence) {
	// The service also marks the first packet of a sequence.
	if p.dropped && s.met {
		c.left.Count(lostMarks, 1, p.offset)
	}
	switch {
	case p.flags&flagCleared != 0:
		s.clear()
	case p.dropped:
		s.lose()
	}
	s.met = true
	if p.defaults != nil && !s.setDefaults(p.defaults, p.machine) {
		c.left.Count(damaged, 1, p.offset)
	}
	if p.interned != nil && s.valid && !s.read(p.interned) {
		c.left.Count(damaged, 1, p.offset)
	}
	if p.interned != nil || p.flags&flagCleared != 0 {
		c.sequences.count(s)
	}
}
