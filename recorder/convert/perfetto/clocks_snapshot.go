package perfetto

import "time"

// snapshot reads a packet with a ClockSnapshot. The first one that has both the wall
// clock and the trace's clock sets the wall time of the trace.
func (c *clocks) snapshot(p *packet) {
	readings, primary, ok := parseSnapshot(p.data, p.sequence, p.machine)
	if !ok {
		c.left.Count(damaged, 1, p.offset)
		return
	}
	if p.machine != 0 {
		primary = 0 // it is a clock of that machine
	}
	if len(readings) > 0 && !c.add(readings, primary) {
		c.left.Count(badSnapshots, 1, p.offset)
		return
	}
	if c.wall.known {
		return
	}
	for _, r := range readings {
		if r.id != clockOf(0, clockRealtime) {
			continue
		}
		for _, o := range readings {
			if o.id == c.trace {
				c.wall = wallClock{ns: r.time, at: o.time, known: true}
			}
		}
	}
}

// wallTime returns the wall time at a time of the trace.
func (c *clocks) wallTime(ns int64) time.Time {
	if !c.wall.known {
		return time.Unix(0, ns)
	}
	return time.Unix(0, c.wall.ns+ns-c.wall.at)
}
