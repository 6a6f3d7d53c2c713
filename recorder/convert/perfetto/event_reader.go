package perfetto

import (
	"cmp"
	"math"

	"tracex/format"
	"tracex/format/pbfield"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// eventReader turns TrackEvents into records: each slice begin or end, instant,
// counter value and state becomes a record, which is added to the timeline of its track.
type eventReader struct {
	dictionary *calltrace.Dictionary
	clocks     *clocks
	tracks     *tracks
	sink       *sink
	left       *fit.Tally
	labels     labels
	asyncNames *fit.Map[asyncID, string] // nil if there are none

	event     event     // scratch for the current event
	arguments arguments // scratch for its arguments
}

// asyncID identifies the events of one asynchronous slice.
type asyncID struct {
	pid processID // 0 if the id is global
	id  uint64
}

// knownAsync bounds how many asyncIDs are remembered, each with a name.
const knownAsync = 1 << 15

func newEventReader(d *calltrace.Dictionary, c *clocks, ts *tracks, k *sink, left *fit.Tally) *eventReader {
	return &eventReader{
		dictionary: d, clocks: c, tracks: ts, sink: k, left: left, labels: labels{dictionary: d},
		arguments: arguments{d: d, plain: format.NewContext(format.V22)},
	}
}

// occurrence is an event with its packet and its sequence.
type occurrence struct {
	packet   *packet
	sequence *sequence
	event    *event
	ns       int64 // its time
	called
}

// uuid returns the track of the event.
func (o *occurrence) uuid() uint64 {
	if o.event.hasTrack {
		return o.event.track
	}
	return o.sequence.track
}

// read reads a packet with an event, and adds its records to the timeline of its track.
func (x *eventReader) read(p *packet, s *sequence) error {
	if s == nil {
		x.left.Count(withoutSequence, 1, p.offset)
		return nil
	}
	e := &x.event
	if !e.parse(p.data) {
		x.left.Count(damaged, 1, p.offset)
		if e.kind == 0 {
			return nil
		}
		// Continue all the same: the event may begin or end a slice, and without it the
		// nesting would be wrong.
	}
	if p.machine != 0 {
		e.moveTo(p.machine)
	}
	if e.mixed && e.typed {
		x.left.Count(typedFields, 1, p.offset)
	}
	ns, ok := x.clocks.eventTime(p, s, e)
	if !ok {
		return nil
	}
	o := occurrence{packet: p, sequence: s, event: e, ns: ns}
	if e.hasLegacy {
		return x.legacyEvent(&o)
	}
	switch e.kind {
	case pbfield.TrackEvent_TYPE_SLICE_BEGIN, pbfield.TrackEvent_TYPE_SLICE_END, pbfield.TrackEvent_TYPE_INSTANT:
		return x.sliceEvent(&o)
	case pbfield.TrackEvent_TYPE_COUNTER:
		return x.counterEvent(&o)
	case pbfield.TrackEvent_TYPE_STATE:
		return x.stateEvent(&o)
	}
	x.left.Count(unknownEvents, 1, p.offset)
	return nil
}

// sliceEvent adds the record of a slice begin or end, or of an instant.
func (x *eventReader) sliceEvent(o *occurrence) error {
	s, e, machine := o.sequence, o.event, o.packet.machine
	x.labels.of(s, e, &o.called)
	uuid := o.uuid()
	var l *timeline
	switch {
	case uuid == 0 && e.hasLegacy && e.overridden:
		l = x.tracks.threadTimeline(machine, e.override)
	case uuid == 0 && !e.hasTrack && s.hasThread:
		l = x.tracks.threadTimeline(machine, s.thread)
	default:
		l = x.tracks.timeline(machine, s, uuid, o.name.text)
	}
	if l == nil {
		x.left.Count(tooManyTracks, 1, o.packet.offset)
		return nil
	}
	r := record{kind: recordInstant, track: uuid, hasTrack: l.joined}
	switch e.kind {
	case pbfield.TrackEvent_TYPE_SLICE_BEGIN:
		r.kind = recordBegin
	case pbfield.TrackEvent_TYPE_SLICE_END:
		if err := x.extraValues(o, l); err != nil {
			return err
		}
		return x.addEnd(o, l, &r)
	}
	if err := x.addCall(o, l, &r); err != nil {
		return err
	}
	return x.extraValues(o, l)
}

// addCall adds r with the event's name and arguments.
func (x *eventReader) addCall(o *occurrence, l *timeline, r *record) error {
	a := &x.arguments
	a.reset(&o.sequence.interned, false)
	at, iid := a.gather(o.sequence, o.event)
	r.method = x.labels.method(&o.called)
	r.category, r.name = o.category.word, o.name.word
	r.arguments, r.values = len(a.names), a.values
	plain := o.category.word == 0
	if plain || r.arguments > 0 || iid != 0 || at.file != nil || at.function != nil {
		r.place = true
		r.location = a.location(at, iid, plain)
	}
	return x.sink.add(o.packet, l, o.ns, r)
}

// addEnd adds r as the record of a slice end.
func (x *eventReader) addEnd(o *occurrence, l *timeline, r *record) error {
	r.kind = recordEnd
	r.category, r.name = o.category.word, o.name.word
	x.arguments.reset(&o.sequence.interned, true)
	x.arguments.gather(o.sequence, o.event)
	if r.result = x.arguments.text; x.arguments.count == 1 {
		switch only := x.arguments.only; {
		case only.name == fit.Result:
			r.result = only.text
		case only.name == fit.Exception && only.plain != "":
			r.kind, r.result = recordThrew, []byte(only.plain)
		}
	}
	var cut bool
	if r.result, cut = fit.Text(r.result); cut {
		x.left.Count(longTexts, 1, o.packet.offset)
	}
	return x.sink.add(o.packet, l, o.ns, r)
}

// trigger reads a packet about a trigger. All triggers are instants on one timeline.
func (x *eventReader) trigger(p *packet) error {
	if !p.timed {
		if !p.hasTime { // if it has one, the reason was counted already
			x.left.Count(withoutTime, 1, p.offset)
		}
		return nil
	}
	var name, producer []byte
	uid := int64(-1)
	f := fields{rest: p.data}
	for f.next() {
		switch f.number {
		case 1:
			name = f.raw
		case 2:
			producer = f.raw
		case 3:
			uid = int64(f.value)
		}
	}
	l := x.tracks.keyed(timelineKey{kind: triggers}, timeline{scope: ofTrace, name: "Trace Triggers", machine: p.machine})
	if f.bad || l == nil {
		x.left.Count(damaged, 1, p.offset)
		return nil
	}
	called := called{name: x.labels.label(name)}
	a := &x.arguments
	a.reset(nil, false)
	if len(producer) > 0 {
		a.add("producer_name", calltrace.String(x.dictionary.Text(producer)))
	}
	if uid >= 0 {
		a.add("trusted_producer_uid", calltrace.Int(uid))
	}
	r := record{
		kind: recordInstant, method: x.labels.method(&called), name: called.name.word,
		place: true, location: a.location(sourceLocation{}, 0, true), arguments: len(a.names), values: a.values,
	}
	return x.sink.add(p, l, p.ns, &r)
}

// counterEvent adds the value of a counter: to the thread that wrote it, or to the
// counter's own timeline.
func (x *eventReader) counterEvent(o *occurrence) error {
	p, e := o.packet, o.event
	if !e.hasValue {
		x.left.Count(withoutValue, 1, p.offset)
		return nil
	}
	if err := x.counterValue(o, o.uuid(), e.value, e.isDouble, nil); err != nil {
		return err
	}
	return x.extraValues(o, nil)
}

// extraValues adds the counter values that accompany an event of a timeline.
func (x *eventReader) extraValues(o *occurrence, l *timeline) error {
	s, e := o.sequence, o.event
	tracks := e.extraTracks
	if len(tracks) == 0 {
		tracks = s.counters
	}
	for i, v := range e.extraValues[:min(len(e.extraValues), len(tracks))] {
		if err := x.counterValue(o, tracks[i], v, false, l); err != nil {
			return err
		}
	}
	tracks = e.doubleTracks
	if len(tracks) == 0 {
		tracks = s.doubles
	}
	for i, v := range e.doubles[:min(len(e.doubles), len(tracks))] {
		if err := x.counterValue(o, tracks[i], v, true, l); err != nil {
			return err
		}
	}
	return nil
}

// knownRunning bounds how many incremental counters a sequence may have.
const knownRunning = 1 << 12

// counterValue adds one value of a counter to a timeline. If l is nil, it uses that of
// the thread that wrote the value, if known, or else the counter's own.
func (x *eventReader) counterValue(o *occurrence, uuid, bits uint64, isDouble bool, l *timeline) error {
	p, s := o.packet, o.sequence
	t := x.tracks.described[uuid]
	if t == nil || t.counter == nil {
		x.left.Count(withoutCounter, 1, p.offset)
		return nil
	}
	if m := t.counter.multiplier; m > 0 {
		if isDouble {
			bits = math.Float64bits(math.Float64frombits(bits) * float64(m))
		} else {
			bits = uint64(int64(bits) * m)
		}
	}
	if t.counter.incremental {
		value := float64(int64(bits))
		if isDouble {
			value = math.Float64frombits(bits)
		}
		if s.running == nil {
			s.running = make(map[uint64]float64)
		}
		if _, known := s.running[uuid]; known || len(s.running) < knownRunning {
			s.running[uuid] += value
			value = s.running[uuid]
		}
		if bits = uint64(int64(value)); isDouble {
			bits = math.Float64bits(value)
		}
	}
	if l == nil {
		l = x.tracks.writerTimeline(p.machine, s)
	}
	if l == nil {
		return x.ownValue(o, t, bits, isDouble)
	}
	r := record{kind: recordLong, variable: x.counterVariable(t, isDouble), bits: bits}
	if isDouble {
		r.kind = recordDouble
	}
	return x.sink.add(p, l, o.ns, &r)
}

// counterName returns the name of a counter, with its unit.
func counterName(t *track) string {
	name := cmp.Or(t.name, t.counter.name, "counter")
	if t.counter.unit != "" {
		name += " (" + t.counter.unit + ")"
	}
	return name
}

// counterVariable returns the number of a counter's variable.
func (x *eventReader) counterVariable(t *track, isDouble bool) int32 {
	k := t.counter
	if !k.numbered {
		name := []byte(counterName(t))
		k.variable = x.dictionary.Variable(name, format.Type{Kind: format.TypeLong})
		k.real = x.dictionary.Variable(name, format.Type{Kind: format.TypeDouble})
		k.numbered = true
	}
	if isDouble {
		return k.real
	}
	return k.variable
}

// ownValue adds a counter's value to the counter's own timeline: a call that lasts until
// the next value.
func (x *eventReader) ownValue(o *occurrence, t *track, bits uint64, isDouble bool) error {
	p := o.packet
	if t.timeline == nil {
		t.timeline = x.tracks.newTimeline(timeline{track: t, parent: t.parent, name: t.name, machine: p.machine})
	}
	if t.timeline == nil {
		x.left.Count(tooManyTracks, 1, p.offset)
		return nil
	}
	a := &x.arguments
	a.reset(nil, false)
	v := calltrace.Int(int64(bits))
	if isDouble {
		v = double(bits)
	}
	a.add("value", v)
	r := record{
		kind: recordNext, method: x.dictionary.Method([]byte("counter"), []byte(counterName(t)), void),
		place: true, location: a.location(sourceLocation{}, 0, true), arguments: 1, values: a.values,
	}
	return x.sink.add(p, t.timeline, o.ns, &r)
}

// stateEvent begins a state on a track of states; an event without a name ends the
// current one.
func (x *eventReader) stateEvent(o *occurrence) error {
	p, uuid := o.packet, o.uuid()
	t := x.tracks.described[uuid]
	if t == nil || !t.state {
		x.left.Count(unknownEvents, 1, p.offset)
		return nil
	}
	x.labels.of(o.sequence, o.event, &o.called)
	l := x.tracks.timeline(p.machine, o.sequence, uuid, o.name.text)
	if l == nil {
		x.left.Count(tooManyTracks, 1, p.offset)
		return nil
	}
	if o.name.word == 0 {
		o.called = called{}
		return x.addEnd(o, l, &record{})
	}
	return x.addCall(o, l, &record{kind: recordNext})
}
