package perfetto

import (
	"strconv"

	"tracex/format"
	"tracex/format/pbfield"
	"tracex/recorder/convert/fit"
)

// legacy is one LegacyEvent.
type legacy struct {
	nameIID      uint64
	phase        byte // 0 if the event has a type
	duration     int64
	id           uint64
	hasID        bool
	local        bool // id is local to the process
	scope        []byte
	bind         uint64
	hasBind      bool
	direction    uint64
	instantScope uint64
	pid          int32
	tid          int64
	hasPID       bool
	hasTID       bool
}

func (l *legacy) parse(b []byte) bool {
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case pbfield.TrackEvent_LegacyEvent_NameIid:
			l.nameIID = f.value
		case pbfield.TrackEvent_LegacyEvent_Phase:
			l.phase = byte(f.value)
		case pbfield.TrackEvent_LegacyEvent_DurationUs:
			l.duration = int64(f.value) * 1000
		case pbfield.TrackEvent_LegacyEvent_UnscopedId, pbfield.TrackEvent_LegacyEvent_GlobalId:
			l.id, l.hasID, l.local = f.value, true, false
		case pbfield.TrackEvent_LegacyEvent_LocalId:
			l.id, l.hasID, l.local = f.value, true, true
		case pbfield.TrackEvent_LegacyEvent_IdScope:
			l.scope = f.raw
		case pbfield.TrackEvent_LegacyEvent_BindId:
			l.bind, l.hasBind = f.value, true
		case pbfield.TrackEvent_LegacyEvent_FlowDirection:
			l.direction = f.value
		case pbfield.TrackEvent_LegacyEvent_InstantEventScope:
			l.instantScope = f.value
		case pbfield.TrackEvent_LegacyEvent_PidOverride:
			l.pid, l.hasPID = int32(f.value), true
		case pbfield.TrackEvent_LegacyEvent_TidOverride:
			l.tid, l.hasTID = int64(f.value), true
		}
	}
	return !f.bad
}

// legacyEvent reads an event that has a LegacyEvent. Its phase replaces the event's
// type.
func (x *eventReader) legacyEvent(o *occurrence) error {
	p, e := o.packet, o.event
	var g legacy
	if !g.parse(e.legacy) {
		x.left.Count(damaged, 1, p.offset)
		return nil
	}
	if e.nameIID == 0 {
		e.nameIID = g.nameIID
	}
	switch {
	case !g.hasBind || g.direction == 0:
	case g.direction == pbfield.TrackEvent_LegacyEvent_FLOW_IN:
		e.flowEnds = append(e.flowEnds, g.bind)
	default:
		e.flows = append(e.flows, g.bind)
	}
	if g.phase == 0 {
		return x.withoutPhase(o, &g)
	}
	x.labels.of(o.sequence, e, &o.called)
	if g.phase == 'M' {
		x.metadata(o, &g)
		return nil
	}
	l := x.legacyTimeline(o, &g)
	if l == nil {
		x.left.Count(unknownEvents, 1, p.offset)
		return nil
	}
	return x.phaseEvent(o, &g, l)
}

// withoutPhase reads an event that has both a type and a LegacyEvent.
func (x *eventReader) withoutPhase(o *occurrence, g *legacy) error {
	e := o.event
	if g.hasPID || g.hasTID {
		e.override, e.overridden = g.thread(o)
	}
	switch e.kind {
	case pbfield.TrackEvent_TYPE_COUNTER:
		return x.counterEvent(o)
	case pbfield.TrackEvent_TYPE_SLICE_BEGIN, pbfield.TrackEvent_TYPE_SLICE_END, pbfield.TrackEvent_TYPE_INSTANT:
		return x.sliceEvent(o)
	}
	x.left.Count(unknownEvents, 1, o.packet.offset)
	return nil
}

// phaseEvent adds the record of a timeline's event, by its phase.
func (x *eventReader) phaseEvent(o *occurrence, g *legacy, l *timeline) error {
	p, e := o.packet, o.event
	r := record{track: o.uuid(), hasTrack: l.joined}
	switch g.phase {
	case 'b', 'e', 'n', 'S', 'T', 'p', 'F':
		r.track = g.id
		e.asyncID, e.hasAsyncID = g.id, true
	}
	switch g.phase {
	case 'B', 'b', 'S':
		r.kind = recordBegin
	case 'E', 'e', 'F':
		return x.addEnd(o, l, &r)
	case 'X':
		if r.kind, r.duration = recordComplete, uint64(g.duration); g.duration < 0 || g.duration > farTime {
			x.left.Count(withoutTime, 1, p.offset)
			return nil
		}
	case 'i', 'I', 'R', 'n', 'T', 'p':
		r.kind = recordInstant
	case 's', 't', 'f':
		// It belongs to the open slice.
		flow := x.dictionary.Variable([]byte("flow"), format.Type{Kind: format.TypeLong})
		return x.sink.add(p, l, o.ns, &record{kind: recordLong, variable: flow, bits: g.id})
	case 'C':
		return x.legacyCounter(o, l)
	default:
		x.left.Count(unknownEvents, 1, p.offset)
		return nil
	}
	return x.addCall(o, l, &r)
}

// legacyCounter adds the values of a counter of the older kind. They are its debug
// annotations: "size.value" of an event "size" is the counter's own value.
func (x *eventReader) legacyCounter(o *occurrence, l *timeline) error {
	e := o.event
	found := false
	for _, b := range e.annotations {
		var n annotation
		if !n.parse(b) {
			x.arguments.left++
			continue
		}
		r := record{kind: recordLong, bits: n.bits}
		of := format.Type{Kind: format.TypeLong}
		switch n.kind {
		case pbfield.DebugAnnotation_IntValue, pbfield.DebugAnnotation_UintValue:
		case pbfield.DebugAnnotation_DoubleValue:
			r.kind, of.Kind = recordDouble, format.TypeDouble
		default:
			x.arguments.left++
			continue
		}
		if known := o.sequence.find(pbfield.InternedData_DebugAnnotationNames, n.nameIID); known != nil {
			n.name = known.text
		}
		name := append(x.labels.text[:0], o.name.text...)
		if len(n.name) > 0 && string(n.name) != "value" {
			name = append(append(name, '.'), n.name[:min(len(n.name), maxPath)]...)
		}
		x.labels.text = name
		r.variable = x.dictionary.Variable(name, of)
		found = true
		if err := x.sink.add(o.packet, l, o.ns, &r); err != nil {
			return err
		}
	}
	if !found {
		x.left.Count(withoutValue, 1, o.packet.offset)
	}
	return nil
}

// thread returns the thread of an event with a phase.
func (g *legacy) thread(o *occurrence) (id threadID, ok bool) {
	id, ok = o.sequence.thread, o.sequence.hasThread
	if g.hasPID {
		id, ok = threadID{processOn(o.packet.machine, g.pid), -1}, true
	}
	if g.hasTID && ok {
		id.tid = g.tid
	}
	return id, ok
}

// legacyTimeline returns the timeline of an event with a phase, or nil if it cannot be
// determined.
func (x *eventReader) legacyTimeline(o *occurrence, g *legacy) *timeline {
	ts, machine, uuid := x.tracks, o.packet.machine, o.uuid()
	thread, known := g.thread(o)
	if t := ts.described[uuid]; t != nil && uuid != 0 {
		switch {
		case t.hasThread:
			thread, known = t.thread, true
		case t.hasProcess:
			thread, known = threadID{t.pid, -1}, true
		}
	}
	switch g.phase {
	case 'b', 'e', 'n', 'S', 'T', 'p', 'F':
		return x.asyncTimeline(o, g, thread, known)
	case 'i', 'I':
		switch {
		case g.instantScope == pbfield.TrackEvent_LegacyEvent_SCOPE_GLOBAL:
			return ts.keyed(timelineKey{kind: instants}, timeline{scope: ofTrace, name: "Instants", machine: machine})
		case g.instantScope == pbfield.TrackEvent_LegacyEvent_SCOPE_PROCESS && known:
			return ts.keyed(timelineKey{instants, uint64(thread.pid), "process"}, timeline{pid: thread.pid, name: "Instants", machine: machine})
		}
	}
	if uuid != 0 {
		return ts.timeline(machine, o.sequence, uuid, o.name.text)
	}
	if known {
		return ts.threadTimeline(machine, thread)
	}
	return ts.timeline(machine, o.sequence, 0, nil)
}

// asyncTimeline returns the timeline of asynchronous events with a phase. Events with the
// same id belong together, whatever their names: the first one gives the name.
func (x *eventReader) asyncTimeline(o *occurrence, g *legacy, thread threadID, known bool) *timeline {
	if !g.hasID || g.local && !known {
		return nil
	}
	id := asyncID{id: g.id}
	if g.local {
		id.pid = thread.pid
	}
	if x.asyncNames == nil {
		x.asyncNames = fit.NewMap[asyncID, string](knownAsync)
	}
	root, ok := x.asyncNames.Get(id)
	if !ok {
		root = fit.Name(o.name.text)
		x.asyncNames.Put(id, root)
	}
	scope := fit.Name(o.category.text)
	switch g.phase {
	case 'S', 'T', 'p', 'F':
		scope = fit.Name(o.name.text)
	}
	if g.scope != nil {
		scope = fit.Name(o.category.text) + ":" + fit.Name(g.scope)
	}
	key := timelineKey{asyncTimeline, uint64(id.pid), strconv.Quote(scope) + root}
	return x.tracks.keyed(key, timeline{joined: true, pid: id.pid, name: root, machine: o.packet.machine})
}

// metadata reads an event that names a thread or a process.
func (x *eventReader) metadata(o *occurrence, g *legacy) {
	e := o.event
	id, ok := g.thread(o)
	name := ""
	if len(e.annotations) > 0 {
		var n annotation
		if n.parse(e.annotations[0]) && n.kind == pbfield.DebugAnnotation_StringValue {
			name = fit.Name(n.raw)
		}
	}
	switch what := string(o.name.text); {
	case ok && what == "thread_name":
		x.tracks.names.nameThread(id, name)
	case ok && what == "process_name":
		x.tracks.names.nameProcess(id.pid, name)
	default:
		x.left.Count(unknownEvents, 1, o.packet.offset)
	}
}
