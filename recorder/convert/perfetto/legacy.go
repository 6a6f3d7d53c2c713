package perfetto

import (
	"tracex/format"
)

// Numbers of fields of a LegacyEvent: what Chrome's older trace format had and
// TrackEvent has not.
const (
	legacyNameIID      = 1
	legacyPhase        = 2
	legacyDurationUS   = 3
	legacyID           = 6
	legacyScope        = 7
	legacyBind         = 8
	legacyLocalID      = 10
	legacyGlobalID     = 11
	legacyDirection    = 13
	legacyInstantScope = 14
	legacyPID          = 18
	legacyTID          = 19
)

// Values of legacyDirection and legacyInstantScope.
const (
	directionIn  = 1
	scopeGlobal  = 1
	scopeProcess = 2
)

// legacy is one LegacyEvent.
type legacy struct {
	nameIID      uint64
	phase        byte // 0: the event has a type
	duration     int64
	id           uint64
	hasID        bool
	local        bool // id is of the process
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
		case legacyNameIID:
			l.nameIID = f.value
		case legacyPhase:
			l.phase = byte(f.value)
		case legacyDurationUS:
			l.duration = int64(f.value) * 1000
		case legacyID, legacyGlobalID:
			l.id, l.hasID, l.local = f.value, true, false
		case legacyLocalID:
			l.id, l.hasID, l.local = f.value, true, true
		case legacyScope:
			l.scope = f.raw
		case legacyBind:
			l.bind, l.hasBind = f.value, true
		case legacyDirection:
			l.direction = f.value
		case legacyInstantScope:
			l.instantScope = f.value
		case legacyPID:
			l.pid, l.hasPID = int32(f.value), true
		case legacyTID:
			l.tid, l.hasTID = int64(f.value), true
		}
	}
	return !f.bad
}

// legacyEvent reads an event that has a LegacyEvent in it. A phase stands in the
// place of its type.
func (c *Converter) legacyEvent(p *packet, s *sequence, e *event, time int64) error {
	var g legacy
	if !g.parse(e.legacy) {
		c.leave(damaged, p)
		return nil
	}
	if e.nameIID == 0 {
		e.nameIID = g.nameIID
	}
	switch {
	case !g.hasBind || g.direction == 0:
	case g.direction == directionIn:
		e.flowEnds = append(e.flowEnds, g.bind)
	default:
		e.flows = append(e.flows, g.bind)
	}
	if g.phase == 0 {
		return c.withoutPhase(p, s, e, &g, time)
	}
	c.named(s, e)
	if g.phase == 'M' {
		return c.metadata(p, s, e, &g)
	}
	l := c.legacyLine(s, e, &g)
	if l == nil {
		c.leave(unknownEvents, p)
		return nil
	}
	return c.phaseEvent(p, s, e, &g, l, time)
}

// withoutPhase reads an event that has a type beside its LegacyEvent.
func (c *Converter) withoutPhase(p *packet, s *sequence, e *event, g *legacy, time int64) error {
	if g.hasPID || g.hasTID {
		e.override, e.overridden = c.legacyThread(s, g)
	}
	switch e.kind {
	case typeCounter:
		return c.counterEvent(p, s, e, time)
	case typeBegin, typeEnd, typeInstant:
		return c.sliceEvent(p, s, e, time)
	}
	c.leave(unknownEvents, p)
	return nil
}

// phaseEvent adds the record of an event of a line, by its phase.
func (c *Converter) phaseEvent(p *packet, s *sequence, e *event, g *legacy, l *line, time int64) error {
	c.record = record{track: e.track, hasTrack: l.joined}
	if !e.hasTrack {
		c.record.track = s.track
	}
	switch g.phase {
	case 'b', 'e', 'n', 'S', 'T', 'p', 'F':
		c.record.track = g.id
		e.asyncID, e.hasAsyncID = g.id, true
	}
	switch g.phase {
	case 'B', 'b', 'S':
		c.record.kind = recordBegin
	case 'E', 'e', 'F':
		return c.endRecord(s, e, l, time)
	case 'X':
		if c.record.kind, c.record.duration = recordComplete, uint64(g.duration); g.duration < 0 || g.duration > farTime {
			c.leave(withoutTime, p)
			return nil
		}
	case 'i', 'I', 'R', 'n', 'T', 'p':
		c.record.kind = recordInstant
	case 's', 't', 'f':
		// It belongs to the slice that is open.
		flow := c.dictionary.variable([]byte("flow"), format.Type{Kind: format.TypeLong})
		c.record = record{kind: recordLong, variable: flow, bits: g.id}
		return c.add(l, time)
	case 'C':
		return c.legacyCounter(p, s, e, l, time)
	default:
		c.leave(unknownEvents, p)
		return nil
	}
	return c.callRecord(s, e, l, time)
}
