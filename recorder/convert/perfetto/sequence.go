package perfetto

// sequence is what the packets of one writer have in common: its incremental
// state, which begins anew with flagCleared, and what outlives that.
type sequence struct {
	id    uint32
	met   bool // it has a packet
	valid bool // no packet of the state was lost
	interned
	clock        uint32 // for packets that name none; 0: that of the trace
	track        uint64 // for events that name none; 0: none
	counters     []uint64
	doubles      []uint64           // as counters, for values with a point
	running      map[uint64]float64 // values of counters that are told as differences
	counted      int64              // bytes of interned that sequences knows of
	conversion   conversion
	thread       threadID // of the writer, by the old way to say so
	hasThread    bool
	reference    int64 // ns: what timestamp_delta_us counts from
	hasReference bool

	last     uint64 // the track that was asked for last, and its line
	lastLine *line
}

// Numbers of fields of TracePacketDefaults and TrackEventDefaults.
const (
	defaultsTrackEvent = 11
	defaultsClock      = 58

	defaultsTrack    = 11
	defaultsCounters = 31
	defaultsDoubles  = 45
)

// clear begins the sequence's state anew.
func (s *sequence) clear() {
	s.interned = interned{}
	s.clock, s.track, s.counters, s.doubles = 0, 0, nil, nil
	s.running = nil
	s.hasReference = false
	s.valid = true
}

// lose says that a packet of the sequence was lost.
func (s *sequence) lose() {
	s.valid = false
	s.running = nil
	s.hasReference = false
}

// setDefaults takes in a TracePacketDefaults, which replaces the one before.
func (s *sequence) setDefaults(b []byte, machine uint32) bool {
	s.clock, s.track, s.counters, s.doubles = 0, 0, nil, nil
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case defaultsClock:
			s.clock = uint32(f.value)
		case defaultsTrackEvent:
			g := fields{rest: f.raw}
			for g.next() {
				switch g.number {
				case defaultsTrack:
					s.track = g.value
				case defaultsCounters:
					s.counters = g.numbers(s.counters, varint)
				case defaultsDoubles:
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

// sequences are those that were met last. The state of one that stayed silent
// while the others took more memory than knownState is forgotten, as if a packet
// of it had been lost.
type sequences struct {
	young, old map[uint32]*sequence
	bytes      int64 // of the young ones' state
	forgotten  int64
	last       *sequence // that was asked for; nil: none
}

const (
	knownSequences = 1 << 15
	knownState     = 48 << 20 // bytes
	sequenceCost   = 1 << 10  // bytes, about, without interned data
)

// get returns a sequence, a new one if need be.
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

// turn makes the young sequences old, and forgets the old ones.
func (q *sequences) turn() {
	q.forgotten += int64(len(q.old))
	q.young, q.old, q.bytes = make(map[uint32]*sequence), q.young, 0
}

// count notes how much the state of the sequence that was asked for last takes
// by now.
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
