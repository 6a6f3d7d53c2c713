package producer

import (
	"math/rand/v2"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/messages"
)

// Track is a line of events: what one goroutine does, in most programs. Only one
// goroutine at a time may call its methods. Those of a nil Track do nothing.
//
// Tracks cost little, and need no end: a program may have any number, all share a
// few writers.
type Track struct {
	e          *Events
	uuid       uint64
	descriptor []byte // fields of the packet that describes it, behind the time
	field      []byte // field track_uuid of its events
	parent     *Track // to be described before; nil: the process alone
	number     uint32 // which of the writers

	// Where the track was described last.
	slot  *slot
	round uint32
}

// Goroutine returns a new track of the process.
func (e *Events) Goroutine(name string) *Track { return e.child(e.process, name) }

// Track returns a new track below this one: for what overlaps, say. It may be used
// by another goroutine.
func (t *Track) Track(name string) *Track {
	if t == nil {
		return nil
	}
	return t.e.child(t, name)
}

func (e *Events) child(parent *Track, name string) *Track {
	t := e.newTrack()
	t.parent = parent
	t.descriptor = packetOf(&messages.TrackDescriptor{
		Uuid: proto.Uint64(t.uuid), ParentUuid: proto.Uint64(parent.uuid),
		StaticOrDynamicName: &messages.TrackDescriptor_Name{Name: name},
	})
	return t
}

// noThread is above all ids that a system gives to threads.
const noThread = 1 << 22

// Thread returns a new track that tools take for a thread of the process. id is the
// system's; 0 for a goroutine, which has none.
func (e *Events) Thread(name string, id int) *Track {
	t := e.newTrack()
	if id == 0 {
		id = noThread + int(t.number)
	}
	t.descriptor = packetOf(&messages.TrackDescriptor{
		Uuid: proto.Uint64(t.uuid), ParentUuid: proto.Uint64(e.process.uuid),
		Thread: &messages.ThreadDescriptor{
			Pid: proto.Int32(int32(e.pid)), Tid: proto.Int64(int64(id)), ThreadName: proto.String(name),
		},
	})
	return t
}

// Process returns a new handle of the process's own track.
func (e *Events) Process() *Track {
	t := *e.process
	t.number = e.tracks.Add(1)
	return &t
}

func (e *Events) newTrack() *Track {
	t := &Track{e: e, uuid: rand.Uint64(), number: e.tracks.Add(1)}
	t.field = appendUUID(nil, t.uuid)
	return t
}

// Begin begins a slice of the track, within those that are open.
func (t *Track) Begin(n *Name, args ...Arg) {
	if t != nil && t.e.active.Load() != nil {
		t.emit(0, typeBegin, n, args)
	}
}

// End ends the innermost slice of the track. n is what it was begun with.
func (t *Track) End(n *Name, args ...Arg) {
	if t != nil && t.e.active.Load() != nil {
		t.emit(0, typeEnd, n, args)
	}
}

// Instant is something that took no time.
func (t *Track) Instant(n *Name, args ...Arg) {
	if t != nil && t.e.active.Load() != nil {
		t.emit(0, typeInstant, n, args)
	}
}

// Slice is a slice that was begun.
type Slice struct {
	track *Track
	name  *Name
}

// Slice begins a slice, as [Track.Begin] does, and returns it.
func (t *Track) Slice(n *Name, args ...Arg) Slice {
	t.Begin(n, args...)
	return Slice{t, n}
}

// End ends the slice.
func (s Slice) End(args ...Arg) { s.track.End(s.name, args...) }

// BeginAt is Begin for what is told of later: at is the moment when it happened, on
// the clock of [BootTime]; 0 is now. Events of a track should be told in the order
// of their times.
func (t *Track) BeginAt(at uint64, n *Name, args ...Arg) {
	if t != nil && t.e.active.Load() != nil {
		t.emit(at, typeBegin, n, args)
	}
}

// EndAt is End for what is told of later.
func (t *Track) EndAt(at uint64, n *Name, args ...Arg) {
	if t != nil && t.e.active.Load() != nil {
		t.emit(at, typeEnd, n, args)
	}
}

// InstantAt is Instant for what is told of later.
func (t *Track) InstantAt(at uint64, n *Name, args ...Arg) {
	if t != nil && t.e.active.Load() != nil {
		t.emit(at, typeInstant, n, args)
	}
}

func (t *Track) emit(at uint64, kind eventType, n *Name, args []Arg) {
	list := t.e.active.Load()
	if list == nil {
		return
	}
	for _, s := range *list {
		if s.wants(n) {
			s.event(t, at, kind, n, args)
		}
	}
}

// Counter is a number that changes. Any goroutine may set it.
type Counter struct {
	track Track
	name  *Name
}

// CounterOptions say what a counter counts.
type CounterOptions struct {
	Unit     string // "", or its name, say "requests"
	Bytes    bool   // the unit is the byte
	Nanos    bool   // the unit is the nanosecond
	Multiply int64  // values are to be multiplied by this; 0 is 1
	// Delta says that a value is a change since the last one in the same track's
	// goroutine.
	Delta bool
}

// Counter returns a new counter of the process. A session wants it if it wants its
// category.
func (e *Events) Counter(category, name string, o CounterOptions) *Counter {
	t := e.newTrack()
	c := &messages.CounterDescriptor{}
	switch {
	case o.Bytes:
		c.Unit = messages.CounterDescriptor_UNIT_SIZE_BYTES.Enum()
	case o.Nanos:
		c.Unit = messages.CounterDescriptor_UNIT_TIME_NS.Enum()
	}
	if o.Unit != "" {
		c.UnitName = proto.String(o.Unit)
	}
	if o.Multiply != 0 {
		c.UnitMultiplier = proto.Int64(o.Multiply)
	}
	if o.Delta {
		c.IsIncremental = proto.Bool(true)
	}
	t.descriptor = packetOf(&messages.TrackDescriptor{
		Uuid: proto.Uint64(t.uuid), ParentUuid: proto.Uint64(e.process.uuid), Counter: c,
		StaticOrDynamicName: &messages.TrackDescriptor_Name{Name: name},
	})
	return &Counter{*t, e.Name(category, name)}
}

// Set records the counter's value. t is the caller's track, whose writer is used;
// nothing is recorded if it is nil.
func (c *Counter) Set(t *Track, v int64) {
	if t != nil && t.e.active.Load() != nil {
		t.count(c, uint64(v), false)
	}
}

// SetFloat is Set for numbers with a fraction.
func (c *Counter) SetFloat(t *Track, v float64) {
	if t != nil && t.e.active.Load() != nil {
		t.count(c, floatBits(v), true)
	}
}

func (t *Track) count(c *Counter, bits uint64, float bool) {
	list := t.e.active.Load()
	if list == nil {
		return
	}
	for _, s := range *list {
		if s.wants(c.name) {
			s.count(t, c, bits, float)
		}
	}
}
