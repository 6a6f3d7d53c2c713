package perfetto

import (
	"fmt"
	"slices"
)

// A trace may contain data of several machines: that of the service, whose number is
// 0, and others. Each numbers its tracks and its processes separately, and has its
// own clocks.

// processID is a process: its machine in the upper half, its number in the lower.
type processID int64

func processOn(machine uint32, pid int32) processID {
	return processID(uint64(machine)<<32 | uint64(uint32(pid)))
}

func (p processID) pid() int32      { return int32(p) }
func (p processID) machine() uint32 { return uint32(p >> 32) }

// spread is an odd number with evenly spread bits.
const spread = 0x9e3779b97f4a7c15

// trackOn returns the number that identifies a track of a machine. Every machine has
// a track 0.
func trackOn(machine uint32, uuid uint64) uint64 {
	if uuid == 0 {
		return 0
	}
	return uuid ^ uint64(machine)*spread
}

func tracksOn(machine uint32, uuids []uint64) {
	for i := range uuids {
		uuids[i] = trackOn(machine, uuids[i])
	}
}

// rootOf replaces a missing parent, so that tracks with the same name on different
// machines are not joined.
func rootOf(machine uint32, parent uint64) uint64 {
	if parent == 0 {
		return uint64(machine) * spread
	}
	return parent
}

// moveTo replaces the numbers of tracks by those on a machine.
func (e *event) moveTo(machine uint32) {
	e.track = trackOn(machine, e.track)
	tracksOn(machine, e.extraTracks)
	tracksOn(machine, e.doubleTracks)
}

// machineName returns the prefix for names of a machine's processes and threads, if
// there are several machines.
func (ts *tracks) machineName(machine uint32) string {
	if machine == 0 || !ts.several {
		return ""
	}
	return fmt.Sprintf("machine %d", machine)
}

// countMachines determines whether there are several machines.
func (ts *tracks) countMachines(recorders []*callsRecorder) {
	met := make(map[uint32]struct{})
	for _, l := range ts.timelines {
		met[l.machine] = struct{}{}
	}
	for _, r := range recorders {
		met[r.pid.machine()] = struct{}{}
	}
	ts.several = len(met) > 1
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
