package query

import (
	"errors"

	"tracex/lazy"
)

// joinedCalls are the calls that are open between two parts of a thread.
type joinedCalls struct {
	open []joinedCall
	seen int64 // points of all parts merged
}

// joinedCall is an open call that was found.
type joinedCall struct {
	openHere
	row int // in the list
}

// merge adds what a part found.
func (c *Calls) merge(p *callsPart) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	j := &c.joined
	if p.around <= 0 {
		j.open = j.open[:0]
	}
	if max(p.around, 0) != len(j.open) {
		return errors.New("a part of a thread does not begin where the one before ended")
	}
	first := c.list.n + int(c.list.beyond)
	found := p.found
	for _, t := range p.threads {
		if c.sums.last != t.thread {
			c.sums.last = t.thread
			c.sums.threads++
		}
		c.sums.calls += int64(t.count)
		if c.groups == nil {
			c.list.add(t.thread, found[:t.count])
		}
		found = found[t.count:]
	}
	for m := range p.methods {
		c.sums.methods[m] = true
	}
	c.sums.args, c.sums.objects = max(c.sums.args, p.args), c.sums.objects || p.objects
	c.list.begin(p, c.groups)
	for i := range p.ended {
		c.end(p, &p.ended[i], first)
	}
	for _, o := range p.stack {
		if o.found == notFound {
			continue
		}
		if o.found < 0 {
			j.open[^o.found].join(&o)
			continue
		}
		o.seen += j.seen
		j.open = append(j.open, joinedCall{o, first + int(o.found)})
	}
	j.seen += p.seen
	return nil
}

// join adds what a later part found out about the calls in an open call.
func (o *openHere) join(later *openHere) {
	o.calls += later.calls
	o.vague = o.vague || later.vague
}

// end completes a call.
func (c *Calls) end(p *callsPart, e *endedCall, first int) {
	j := &c.joined
	row := first + int(e.found)
	if e.found < 0 {
		last := len(j.open) - 1
		open := j.open[last]
		j.open = j.open[:last]
		open.join(&e.openHere)
		open.seen = j.seen + e.openHere.seen - open.seen
		e.openHere, row = open.openHere, open.row
	}
	c.sums.end(e, c.about.timed)
	if c.groups == nil {
		c.list.end(p, e, row, c.about.timed)
	} else {
		c.groups.end(p, e)
	}
}

// end adds a call that has ended.
func (s *callsSums) end(e *endedCall, timed bool) {
	s.ended++
	if e.threw {
		s.threw++
	}
	switch {
	case e.state != lazy.StateWhole:
		s.unended++
	case e.time.Duration >= 0:
		s.times.Add(e.time.Duration)
		if e.outer {
			s.total += e.time.Duration
		}
	case timed:
		s.untimed++
	}
}

// self returns the time of a call without that of the calls in it; ok is false if it is not known.
func (e *endedCall) self() (ns int64, ok bool) {
	if e.time.Duration < 0 || e.openHere.vague {
		return 0, false
	}
	return max(0, e.time.Duration-e.openHere.calls), true
}
