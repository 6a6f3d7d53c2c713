package perfetto

// trackEvent reads a packet with an event, and adds its record to the line of
// its track.
func (c *Converter) trackEvent(p *packet, s *sequence) error {
	if s == nil {
		c.leave(withoutSequence, p)
		return nil
	}
	e := &c.event
	if !e.parse(p.data) {
		c.leave(damaged, p)
		if e.kind == 0 {
			return nil
		}
		// An end belongs to it, or a begin: without it, all around would be wrong.
	}
	if p.machine != 0 {
		e.moveTo(p.machine)
	}
	if e.mixed && e.typed {
		c.leave(typedFields, p)
	}
	time, ok := c.eventTime(p, s, e)
	if !ok {
		return nil
	}
	if e.hasLegacy {
		return c.legacyEvent(p, s, e, time)
	}
	switch e.kind {
	case typeBegin, typeEnd, typeInstant:
		return c.sliceEvent(p, s, e, time)
	case typeCounter:
		return c.counterEvent(p, s, e, time)
	case typeState:
		return c.stateEvent(p, s, e, time)
	}
	c.leave(unknownEvents, p)
	return nil
}

// sliceEvent adds the record of a slice that begins or ends, or of an instant.
func (c *Converter) sliceEvent(p *packet, s *sequence, e *event, time int64) error {
	c.named(s, e)
	uuid := e.track
	if !e.hasTrack {
		uuid = s.track
	}
	var l *line
	switch {
	case uuid == 0 && e.hasLegacy && e.overridden:
		l = c.threadLine(e.override)
	case uuid == 0 && !e.hasTrack && s.hasThread:
		l = c.threadLine(s.thread)
	default:
		l = c.line(s, uuid, c.name.text)
	}
	if l == nil {
		c.leave(tooManyTracks, p)
		return nil
	}
	r := &c.record
	*r = record{track: uuid, hasTrack: l.joined}
	switch e.kind {
	case typeBegin:
		r.kind = recordBegin
	case typeEnd:
		if err := c.extraValues(p, s, e, l, time); err != nil {
			return err
		}
		return c.endRecord(s, e, l, time)
	default:
		r.kind = recordInstant
	}
	if err := c.callRecord(s, e, l, time); err != nil {
		return err
	}
	return c.extraValues(p, s, e, l, time)
}

// callRecord adds c.record, to which it adds what the event is called and its
// arguments.
func (c *Converter) callRecord(s *sequence, e *event, l *line, time int64) error {
	r := &c.record
	c.arguments.reset(&s.interned, false)
	at, iid := c.gather(s, e)
	r.method = c.method()
	r.category, r.name = c.category.word, c.name.word
	r.arguments, r.values = len(c.arguments.names), c.arguments.values
	plain := c.category.word == 0
	if plain || r.arguments > 0 || iid != 0 || at.file != nil || at.function != nil {
		r.place = true
		r.location = c.arguments.place(at, iid, plain)
	}
	return c.add(l, time)
}

// endRecord adds the record of an end.
func (c *Converter) endRecord(s *sequence, e *event, l *line, time int64) error {
	r := &c.record
	r.kind = recordEnd
	r.category, r.name = c.category.word, c.name.word
	c.arguments.reset(&s.interned, true)
	c.gather(s, e)
	r.result = c.arguments.text
	return c.add(l, time)
}

// add adds c.record to a line.
func (c *Converter) add(l *line, time int64) error {
	if c.current.early {
		return c.addEarly(l, time)
	}
	c.scratch = c.record.append(c.scratch[:0])
	// The duration is 0 but of whole slices.
	c.first, c.last = min(c.first, time), max(c.last, time+int64(c.record.duration))
	return c.spool.Add(l.records, time, c.scratch)
}
