package perfetto

// updateState takes in what a packet says of the state of its sequence.
func (c *Converter) updateState(p *packet, s *sequence) {
	// The service marks the first packet of a sequence too.
	if p.dropped && s.met {
		c.leave(lostMarks, p)
	}
	switch {
	case p.flags&flagCleared != 0:
		s.clear()
	case p.dropped:
		s.lose()
	}
	s.met = true
	if p.defaults != nil && !s.setDefaults(p.defaults, p.machine) {
		c.leave(damaged, p)
	}
	if p.interned != nil && s.valid && !s.read(p.interned) {
		c.leave(damaged, p)
	}
	if p.interned != nil || p.flags&flagCleared != 0 {
		c.sequences.count(s)
	}
}

func (c *Converter) clockSnapshot(p *packet) {
	readings, primary, ok := parseSnapshot(p.data, p.sequence, p.machine)
	if !ok {
		c.leave(damaged, p)
		return
	}
	if p.machine != 0 {
		primary = 0 // of that machine
	}
	if len(readings) > 0 && !c.clocks.add(readings, primary) {
		c.leave(badSnapshots, p)
		return
	}
	if c.hasWall {
		return
	}
	for _, r := range readings {
		if r.id != clockOf(0, clockRealtime) {
			continue
		}
		for _, o := range readings {
			if o.id == c.clocks.trace {
				c.wall, c.wallAt, c.hasWall = r.time, o, true
			}
		}
	}
}
