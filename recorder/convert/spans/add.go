package spans

import (
	"math"
	"time"

	"tracex/format"
	"tracex/recorder/convert/fit"
)

// far bounds times, in ns, as package calltrace does, so that no sum overflows.
const far = math.MaxInt64 / 4

// Add adds a span. It copies it, and may change its times and names. It fails only if the temporary file cannot be written.
func (c *Collector) Add(s *Span) error {
	for _, name := range []*string{&s.Name, &s.Threw, &s.Class, &s.Thread} {
		if len(*name) > fit.MaxName {
			c.to.Leave("name cut to 1 KiB", "names cut to 1 KiB", 1, -1)
			*name = fit.Name(*name)
		}
	}
	s.Start = min(max(s.Start, -far), far)
	ends := s.Duration >= 0
	s.Duration = min(max(s.Duration, 0), far)
	for i := range s.Events {
		e := &s.Events[i]
		e.Time = min(max(e.Time, s.Start), far)
		if s.Unfinished || !ends {
			s.Duration = max(s.Duration, e.Time-s.Start)
		}
		e.Time = min(e.Time, s.Start+s.Duration)
	}
	if !ends && !c.ends.add(s, s.Start+s.Duration) {
		c.to.Leave("span without an end, after many others; it ends with its last event",
			"spans without an end, after many others; they end with their last events", 1, -1)
	}
	c.record.span(s, ends)
	if err := c.spool.Add(c.stream, s.Start, c.record.b); err != nil {
		return err
	}
	for i := range s.Events {
		e := &s.Events[i]
		c.record.event(s, e)
		if err := c.spool.Add(c.stream, e.Time, c.record.b); err != nil {
			return err
		}
	}
	c.to.Leave("attribute of a span with too many", "attributes of spans with too many", c.record.left, -1)
	c.record.left = 0
	return nil
}

// End finishes after a document was read: found reports whether it has spans, fault is that of the input, and
// failed what ended the reading otherwise. What was read before a fault is kept. It returns the first of these errors
// that counts.
func (c *Collector) End(found bool, fault, failed error) error {
	if failed != nil {
		return failed
	}
	if fault == nil && !found {
		fault = &format.Error{Offset: -1, Expected: "spans", Found: "none in the file", Err: format.ErrNotTrace}
	}
	if c.ctx.Err() == nil {
		if err := c.Finish(); err != nil {
			return err
		}
	}
	return fault
}

// Finish writes the calls of all spans.
func (c *Collector) Finish() error {
	if err := c.findEnds(); err != nil {
		return err
	}
	records, err := c.spool.Open(c.stream)
	if err != nil {
		return err
	}
	for i := 0; records.Next(); i++ {
		if i == 0 {
			c.base = records.Time
			c.to.SetAnchor(time.Unix(0, c.base))
		}
		if i%1024 == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		at := records.Time - c.base
		if c.group.full(at) {
			if err := c.flush(); err != nil {
				return err
			}
		}
		c.group.add(at, records.Body, c.ends.duration(records.Time, records.Body))
	}
	if records.Err() != nil {
		return records.Err()
	}
	if err := c.flush(); err != nil {
		return err
	}
	return c.traces.closeAll(c)
}

// findEnds finds the ends of spans that have none.
func (c *Collector) findEnds() error {
	if len(c.ends.all) == 0 {
		return nil
	}
	records := c.spool.OpenBeside(c.stream)
	for i := 0; records.Next(); i++ {
		if i%1024 == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		c.ends.see(records.Time, records.Body)
	}
	c.ends.settle()
	return records.Err()
}

// flush writes the group of records that have one time: first the events of spans that are open, which may
// end at that time, then the spans, then the events of these.
func (c *Collector) flush() error {
	g := &c.group
	g.sort()
	for _, event := range g.events {
		t := c.traces.known[traceOf(event)]
		if t == nil || t.open[idOf(event)] == nil {
			g.later = append(g.later, event)
			continue
		}
		if err := c.happen(t, g.time, event); err != nil {
			return err
		}
	}
	for i := range g.spans {
		if err := c.begin(g.time, &g.spans[i]); err != nil {
			return err
		}
	}
	for _, event := range g.later {
		t := c.traces.known[traceOf(event)]
		if t == nil || t.open[idOf(event)] == nil {
			c.to.Leave("event of a span that was left out", "events of spans that were left out", 1, -1)
			continue
		}
		if err := c.happen(t, g.time, event); err != nil {
			return err
		}
	}
	g.clear()
	return nil
}
