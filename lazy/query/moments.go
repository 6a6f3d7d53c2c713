package query

import (
	"tracex/lazy"
)

// moments tell when the points of a part of a thread happened: containers when they began, others not
// before the last moment known before them, when a container around them began, or one there began or
// ended. They are for one visitor.
type moments struct {
	known bool // in this part
	now   int64
}

// begin begins a part: nothing is known.
func (m *moments) begin() { m.known = false }

// enter notes that a container begins.
func (m *moments) enter(p *lazy.PassPoint) {
	if t, timed := p.Time(); timed {
		m.known, m.now = true, t.Start
	}
}

// exit notes that a container ends.
func (m *moments) exit(p *lazy.PassPoint) {
	if t, timed := p.Time(); timed {
		m.known, m.now = true, t.End()
	}
}

// carried is the last moment of a thread in the parts that have been merged.
type carried struct {
	thread int32
	moments
}

// of returns the last moment before a part of a thread.
func (c *carried) of(r *lazy.LazyTraceReader, thread int32) (at int64, ok bool) {
	if c.thread != thread || !c.known {
		c.thread, c.moments = thread, moments{}
		if t, timed := r.ThreadTime(thread); timed {
			c.moments = moments{true, t.Start}
		}
	}
	return c.now, c.known
}

// after notes the last moment of a part.
func (c *carried) after(thread int32, m moments) {
	if m.known {
		c.thread, c.moments = thread, m
	}
}
