package perfetto

import (
	"cmp"
	"math"
)

// eventTime returns the time of an event on the trace's clock.
func (c *clocks) eventTime(p *packet, s *sequence, e *event) (ns int64, ok bool) {
	old := false
	switch {
	case e.hasDelta:
		if !s.hasReference {
			c.left.Count(withoutTime, 1, p.offset)
			return 0, false
		}
		s.reference += e.deltaUS * 1000
		ns, old = s.reference, true
	case e.absoluteUS != 0:
		ns, old = e.absoluteUS*1000, true
	case p.timed:
		return p.ns, true
	case p.hasTime:
		return 0, false // the reason was counted already
	default:
		c.left.Count(withoutTime, 1, p.offset)
		return 0, false
	}
	p.early = false
	if old {
		// These fields are from a time when all times were on one clock.
		if t, ok := c.convert(&c.monotonic, clockOn(p.machine, 0, clockMonotonic), ns); ok {
			ns = t
		}
	}
	return c.check(p, ns)
}

// packetTime returns the time of a packet on the trace's clock.
func (c *clocks) packetTime(p *packet, s *sequence) (ns int64, ok bool) {
	clock := p.clock
	if clock == 0 && s != nil {
		clock = s.clock
	}
	clock = cmp.Or(clock, c.unnamed)
	if p.machine != 0 {
		c.bridge(p.machine)
		clock = cmp.Or(clock, c.trace.clock)
	} else if clock == 0 || clock == c.trace.clock {
		return c.check(p, int64(p.time))
	}
	via := &c.others
	if s != nil {
		via = &s.conversion
	}
	id := clockOn(p.machine, p.sequence, clock)
	ns, ok = c.convert(via, id, int64(p.time))
	if !ok {
		unknown := c.domains[id] == nil
		if unknown && id.sequence != 0 {
			// Relative to an unknown time.
			c.left.Count(withoutTime, 1, p.offset)
			return 0, false
		}
		p.early, p.clockID, p.raw = true, id, unknown
		return ns, true
	}
	return c.check(p, ns)
}

// farTime is the latest valid time: the difference of two times must not overflow.
const farTime = math.MaxInt64 / 4

// check returns a time, unless it is too far away to be valid.
func (c *clocks) check(p *packet, ns int64) (int64, bool) {
	if ns < 0 || ns > farTime {
		c.left.Count(withoutTime, 1, p.offset)
		return 0, false
	}
	return ns, true
}
