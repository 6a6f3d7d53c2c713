package perfetto

import (
	"cmp"
	"math"
	"slices"
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

// bridge relates the clocks of a machine to that of the trace, if they are not
// related yet: by the wall clock, which is the same on all machines, or by assuming
// that the machines were started at the same moment.
func (c *clocks) bridge(machine uint32) {
	if c.bridged[machine] || len(c.bridged) >= knownClocks {
		return
	}
	if c.bridged == nil {
		c.bridged = make(map[uint32]bool)
	}
	c.bridged[machine] = true
	boot, wall, ours := clockOn(machine, 0, clockBoottime), clockOn(machine, 0, clockRealtime), clockOf(0, clockRealtime)
	switch {
	case boot == c.trace || c.path(boot, c.trace) != nil:
	case c.path(boot, wall) != nil && c.path(ours, c.trace) != nil:
		c.add([]reading{{id: wall, unit: 1}, {id: ours, unit: 1}}, 0)
	case c.trace.clock == boot.clock:
		c.add([]reading{{id: boot, unit: 1}, {id: c.trace, unit: 1}}, 0)
	}
}

// syncRounds bounds how many rounds of one packet are used.
const syncRounds = 1 << 10

// remoteSync reads a packet with readings of the clocks of another machine and of
// the service's, taken while messages went back and forth between them.
func (c *clocks) remoteSync(p *packet) {
	var rounds []syncRound
	f := fields{rest: p.data}
	for f.next() {
		if f.number != 1 || len(rounds) >= syncRounds {
			continue
		}
		r := syncRound{}
		g := fields{rest: f.raw}
		for g.next() {
			readings, _, ok := parseSnapshot(g.raw, 0, 0)
			f.bad = f.bad || !ok
			switch g.number {
			case 2:
				r.client = readings
			case 3:
				r.host = readings
			}
		}
		f.bad = f.bad || g.bad
		rounds = append(rounds, r)
	}
	if f.bad || p.machine == 0 {
		c.left.Count(damaged, 1, p.offset)
		return
	}
	for _, r := range rounds {
		own := slices.Clone(r.client)
		for i := range own {
			own[i] = reading{id: clockOn(p.machine, 0, own[i].id.clock), time: own[i].time, unit: 1}
		}
		if len(own) > 0 && !c.add(own, 0) {
			c.left.Count(badSnapshots, 1, p.offset)
		}
	}
	for _, clock := range clocksOf(rounds) {
		anchor, offset, ok := offsetOf(rounds, clock)
		if ok && !c.add([]reading{{id: clockOf(0, clock), time: anchor, unit: 1},
			{id: clockOn(p.machine, 0, clock), time: anchor + offset, unit: 1}}, 0) {
			c.left.Count(badSnapshots, 1, p.offset)
		}
	}
}

// syncRound is the readings on both sides, those on the other machine first.
type syncRound struct{ client, host []reading }

func shown(readings []reading, clock uint32) int64 {
	for _, r := range readings {
		if r.id.clock == clock {
			return r.time
		}
	}
	return 0
}

// clocksOf returns the clocks of a machine that were compared.
func clocksOf(rounds []syncRound) (clocks []uint32) {
	for _, r := range rounds {
		for _, c := range r.host {
			if (c.id.clock < firstOwnClock || c.id.clock >= firstFreeClock) && !slices.Contains(clocks, c.id.clock) && len(clocks) < firstOwnClock {
				clocks = append(clocks, c.id.clock)
			}
		}
	}
	return clocks
}

// syncGap is the maximum time between two rounds that belong together, in ns.
const syncGap = 30_000_000_000

// offsetOf returns by how much a clock of the other machine is ahead of the
// service's: the average over both directions of the messages. anchor is a time on
// the service's clock.
func offsetOf(rounds []syncRound, clock uint32) (anchor, offset int64, ok bool) {
	n := int64(0)
	for i, r := range rounds {
		if host := shown(r.host, clock); host != 0 {
			anchor = host
		}
		if i == 0 || uint64(shown(r.client, clockBoottime)-shown(rounds[i-1].client, clockBoottime)) >= syncGap {
			continue
		}
		before := rounds[i-1]
		h1, c1, h2, c2 := shown(before.host, clock), shown(before.client, clock), shown(r.host, clock), shown(r.client, clock)
		if h1 == 0 || c1 == 0 || h2 == 0 || c2 == 0 {
			continue
		}
		offset += c1/2 + c2/2 + (c1%2+c2%2)/2 - h1
		offset += c2 - (h1/2 + h2/2 + (h1%2+h2%2)/2)
		n += 2
	}
	if n == 0 {
		return 0, 0, false
	}
	return anchor, offset / n, true
}
