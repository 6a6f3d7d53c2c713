package producer

import (
	"math/rand/v2"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// Goroutine returns a new track of the process.
func (e *Events) Goroutine(name string) *Track { return e.child(e.process, name) }

// Track returns a new track below this one, for example for events that overlap.
// Another goroutine may use it.
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

// noThread is above all thread ids of the system.
const noThread = 1 << 22

// Thread returns a new track that tools show as a thread of the process. id is the
// system's thread id, or 0 for a goroutine, which has none.
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

// Begin begins a slice of the track, within the open ones.
func (t *Track) Begin(n *Name, args ...Arg) {
	if t != nil && t.e.active.Load() != nil {
		t.emit(0, typeBegin, n, args)
	}
}

// End ends the innermost slice of the track. n is the name it was begun with.
func (t *Track) End(n *Name, args ...Arg) {
	if t != nil && t.e.active.Load() != nil {
		t.emit(0, typeEnd, n, args)
	}
}

// Instant records an event without a duration.
func (t *Track) Instant(n *Name, args ...Arg) {
	if t != nil && t.e.active.Load() != nil {
		t.emit(0, typeInstant, n, args)
	}
}

// Slice is an open slice.
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

// BeginAt is Begin for an event in the past: at is its time on the clock of
// [BootTime]; 0 means now. Events of a track should be recorded in the order of
// their times.
func (t *Track) BeginAt(at uint64, n *Name, args ...Arg) {
	if t != nil && t.e.active.Load() != nil {
		t.emit(at, typeBegin, n, args)
	}
}

// EndAt is End for an event in the past.
func (t *Track) EndAt(at uint64, n *Name, args ...Arg) {
	if t != nil && t.e.active.Load() != nil {
		t.emit(at, typeEnd, n, args)
	}
}

// InstantAt is Instant for an event in the past.
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

// Counter returns a new counter of the process. A session that wants its category
// records it.
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

// Set records the counter's value. t is the caller's track, whose writer is used; if
// it is nil, nothing is recorded.
func (c *Counter) Set(t *Track, v int64) {
	if t != nil && t.e.active.Load() != nil {
		t.count(c, uint64(v), false)
	}
}

// SetFloat is Set for floating-point values.
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
