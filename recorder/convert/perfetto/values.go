package perfetto

import (
	"cmp"
	"math"
	"strconv"

	"tracex/format"
)

// counterEvent adds the value of a counter: to the thread that wrote it, or to a
// line of the counter's own.
func (c *Converter) counterEvent(p *packet, s *sequence, e *event, time int64) error {
	uuid := e.track
	if !e.hasTrack {
		uuid = s.track
	}
	if !e.hasValue {
		c.leave(withoutValue, p)
		return nil
	}
	if err := c.counterValue(p, s, uuid, e.value, e.isDouble, nil, time); err != nil {
		return err
	}
	return c.extraValues(p, s, e, nil, time)
}

// extraValues adds the values of counters that came with an event of a line.
func (c *Converter) extraValues(p *packet, s *sequence, e *event, l *line, time int64) error {
	tracks := e.extraTracks
	if len(tracks) == 0 {
		tracks = s.counters
	}
	for i, v := range e.extraValues[:min(len(e.extraValues), len(tracks))] {
		if err := c.counterValue(p, s, tracks[i], v, false, l, time); err != nil {
			return err
		}
	}
	tracks = e.doubleTracks
	if len(tracks) == 0 {
		tracks = s.doubles
	}
	for i, v := range e.doubles[:min(len(e.doubles), len(tracks))] {
		if err := c.counterValue(p, s, tracks[i], v, true, l, time); err != nil {
			return err
		}
	}
	return nil
}

// knownRunning bounds how many counters of a sequence may be told as
// differences.
const knownRunning = 1 << 12

// counterValue adds one value of a counter to a line; nil: that of the thread
// that wrote it, if there is one.
func (c *Converter) counterValue(p *packet, s *sequence, uuid, bits uint64, isDouble bool, l *line, time int64) error {
	t := c.tracks[uuid]
	if t == nil || t.counter == nil {
		c.leave(withoutCounter, p)
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
		l = c.writerLine(s)
	}
	if l == nil {
		return c.ownValue(p, t, bits, isDouble, time)
	}
	r := &c.record
	*r = record{kind: recordLong, variable: c.counterVariable(t, isDouble), bits: bits}
	if isDouble {
		r.kind = recordDouble
	}
	return c.add(l, time)
}

// counterName is what a counter is called, with its unit.
func counterName(t *track) string {
	name := cmp.Or(t.name, t.counter.name, "counter")
	if t.counter.unit != "" {
		name += " (" + t.counter.unit + ")"
	}
	return name
}

// counterVariable returns the number of the variable that stands for a counter.
func (c *Converter) counterVariable(t *track, isDouble bool) int32 {
	k := t.counter
	if !k.numbered {
		name := []byte(counterName(t))
		k.variable = c.dictionary.variable(name, format.Type{Kind: format.TypeLong})
		k.real = c.dictionary.variable(name, format.Type{Kind: format.TypeDouble})
		k.numbered = true
	}
	if isDouble {
		return k.real
	}
	return k.variable
}

// writerLine returns the line of the thread that writes a sequence; nil when it
// is not known to be a thread.
func (c *Converter) writerLine(s *sequence) *line {
	if t := c.tracks[s.track]; s.track != 0 && t != nil {
		if t.hasThread {
			return c.line(s, s.track, nil)
		}
		return nil
	}
	if s.track == 0 && s.hasThread {
		return c.threadLine(s.thread)
	}
	return nil
}

// ownValue adds a counter's value to a line of its own: a call that lasts until
// the next value.
func (c *Converter) ownValue(p *packet, t *track, bits uint64, isDouble bool, time int64) error {
	if t.line == nil {
		t.line = c.newLine(line{track: t, parent: t.parent, name: t.name})
	}
	if t.line == nil {
		c.leave(tooManyTracks, p)
		return nil
	}
	a := &c.arguments
	a.reset(nil, false)
	v := long(int64(bits))
	if isDouble {
		v = double(bits)
	}
	a.add("value", v)
	c.record = record{
		kind: recordNext, method: c.dictionary.method([]byte("counter"), []byte(counterName(t))),
		place: true, location: a.place(source{}, 0, true), arguments: 1, values: a.values,
	}
	return c.add(t.line, time)
}

// stateEvent adds what goes on from now on, on a track of states; an event
// without a name ends it.
func (c *Converter) stateEvent(p *packet, s *sequence, e *event, time int64) error {
	uuid := e.track
	if !e.hasTrack {
		uuid = s.track
	}
	t := c.tracks[uuid]
	if t == nil || !t.state {
		c.leave(unknownEvents, p)
		return nil
	}
	c.named(s, e)
	l := c.line(s, uuid, c.name.text)
	if l == nil {
		c.leave(tooManyTracks, p)
		return nil
	}
	if c.name.word == 0 {
		c.record = record{}
		c.category = label{}
		return c.endRecord(s, e, l, time)
	}
	c.record = record{kind: recordNext}
	return c.callRecord(s, e, l, time)
}

// threadLine returns the line of a thread, by the old way to say which.
func (c *Converter) threadLine(id threadID) *line {
	if uuid, known := c.threads[id]; known {
		return c.findLine(uuid, nil)
	}
	return c.keyed(lineKey{byThread, uint64(id.tid), strconv.FormatInt(int64(id.pid), 10)}, line{scope: ofThread, thread: id, pid: id.pid})
}

// trigger reads a packet that says that a trigger was pulled. All of them are
// instants on one line.
func (c *Converter) trigger(p *packet, _ *sequence) error {
	if !p.timed {
		if !p.hasTime { // else it was said why
			c.leave(withoutTime, p)
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
	l := c.keyed(lineKey{kind: triggers}, line{scope: ofTrace, name: "Trace Triggers"})
	if f.bad || l == nil {
		c.leave(damaged, p)
		return nil
	}
	c.category, c.name = label{}, c.newLabel(name)
	a := &c.arguments
	a.reset(nil, false)
	if len(producer) > 0 {
		a.add("producer_name", format.Value{Kind: format.ValueString, Text: string(c.dictionary.fit(producer))})
	}
	if uid >= 0 {
		a.add("trusted_producer_uid", long(uid))
	}
	c.record = record{
		kind: recordInstant, method: c.method(), name: c.name.word,
		place: true, location: a.place(source{}, 0, true), arguments: len(a.names), values: a.values,
	}
	return c.add(l, p.ns)
}
