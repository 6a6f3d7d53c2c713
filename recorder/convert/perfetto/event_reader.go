package perfetto

import (
	"tracex/format"
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
	case typeBegin, typeEnd, typeInstant:
		return x.sliceEvent(&o)
	case typeCounter:
		return x.counterEvent(&o)
	case typeState:
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
	case typeBegin:
		r.kind = recordBegin
	case typeEnd:
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
