package producer

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"tracex/recorder/internal/perfetto/messages"
	"tracex/recorder/internal/perfetto/smb"
)

// eventSession is what one session gets of the events. Goroutines share its slots,
// each with a writer, which is a sequence of packets to who reads them.
type eventSession struct {
	e        *Events
	instance *Instance
	chosen   atomic.Pointer[[]bool] // by category: whether it is wanted
	slots    []slot                 // a power of two of them

	multiplier uint64 // nanoseconds of a unit of time
	absolute   bool   // times do not count from the one before
	bare       bool   // without arguments
}

// slot is a writer and what its sequence has said so far. The lock is held while a
// packet is made; goroutines have slots of their own as long as there are enough.
type slot struct {
	mu     sync.Mutex
	w      *smb.Writer // nil: none yet
	closed bool
	last   uint64 // time of the last packet, in units
	home   uint64 // the track that events are on which do not say
	round  uint32 // how often the sequence has begun anew

	names, keys, categories set
	described               map[uint64]struct{} // tracks, by uuid
	buf, body, interned     []byte              // scratch
	_                       [64]byte            // slots do not share a cache line
}

// mostDescribed is how many tracks a sequence remembers to have described.
const mostDescribed = 1 << 12

// set is a set of small numbers.
type set []uint64

func (s set) has(i int) bool { return i>>6 < len(s) && s[i>>6]>>(i&63)&1 != 0 }

func (s *set) add(i int) {
	for i>>6 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[i>>6] |= 1 << (i & 63)
}

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

// choose finds out which categories the session wants. The Events' lock is held.
func (s *eventSession) choose(categories []Category) {
	config := s.instance.Config().GetTrackEventConfig()
	chosen := make([]bool, len(categories))
	for i := range categories {
		chosen[i] = wanted(config, &categories[i])
	}
	s.chosen.Store(&chosen)
}

func (s *eventSession) wants(n *Name) bool { return (*s.chosen.Load())[n.category] }

// each does something with each writer, when nobody uses it.
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

// close ends all writers.
func (s *eventSession) close() {
	for i := range s.slots {
		sl := &s.slots[i]
		sl.mu.Lock()
		sl.closed = true
		if sl.w != nil {
			sl.w.Close()
			sl.w = nil // what comes late is no loss of the writer's
		}
		sl.mu.Unlock()
	}
}

// lock returns the slot of a track, ready for a packet on that track, or nil when
// none can be written. The caller unlocks it.
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

// ready says what has to be said before a packet on a track. Where some of it gets
// lost, so does the packet: the writer notes both.
func (s *eventSession) ready(sl *slot, t *Track, next smb.Next) bool {
	if next == smb.Reset {
		sl.reset(t)
		if !sl.w.Packet(s.preamble(sl, t)) || sl.w.Next() != smb.Plain {
			return false
		}
	}
	return s.describe(sl, s.e.process) && s.describe(sl, t)
}

// reset forgets what the sequence has said.
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

// describe describes a track, if the sequence has not done so.
func (s *eventSession) describe(sl *slot, t *Track) bool {
	if _, ok := sl.described[t.uuid]; ok {
		return true
	}
	if t.parent != nil && !s.describe(sl, t.parent) {
		return false
	}
	if len(sl.described) >= mostDescribed {
		clear(sl.described) // to say it twice does no harm
	}
	b := appendVarint(append(sl.buf[:0], tagTimestamp), s.time(sl))
	b = append(append(b, tagSequenceFlags, needsState), t.descriptor...)
	sl.buf = b[:0]
	sl.described[t.uuid] = struct{}{}
	return sl.w.Packet(b) && sl.w.Next() == smb.Plain
}

// time returns what the next packet says of its time.
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

// Clocks of a sequence, beside those that all share.
const (
	clockBoot        = uint64(messages.BuiltinClock_BUILTIN_CLOCK_BOOTTIME)
	clockIncremental = 64
	clockAbsolute    = 65
)

// preamble is the packet that a sequence begins with: what its clock shows, and
// which track events are on that do not say.
func (s *eventSession) preamble(sl *slot, t *Track) []byte {
	now, boot := SameMoment(s.e.clock.now)
	sl.last, boot = now/s.multiplier, boot-now%s.multiplier
	id, stamp := uint64(clockIncremental), uint64(0)
	clock := appendField(appendField(nil, 1, clockIncremental), 2, sl.last)
	clock = appendField(appendField(clock, 3, 1), 4, s.multiplier)
	if s.absolute {
		id, stamp = clockAbsolute, sl.last
		clock = appendField(appendField(appendField(nil, 1, clockAbsolute), 2, sl.last), 4, s.multiplier)
	}
	defaults := appendMessage(appendField(nil, 58, id), 11, t.field)
	snapshot := appendMessage(nil, 1, appendField(appendField(nil, 1, clockBoot), 2, boot))
	snapshot = appendMessage(snapshot, 1, clock)
	b := appendField(sl.buf[:0], 8, stamp)
	b = appendField(b, 13, stateCleared)
	return appendMessage(appendMessage(b, 59, defaults), 6, snapshot)
}
