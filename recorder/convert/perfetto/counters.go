package perfetto

import (
	"cmp"
	"math"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

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
