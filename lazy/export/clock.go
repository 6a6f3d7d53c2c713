package export

import (
	"math/bits"

	"tracex/lazy"
)

// Axis of a trace without times, in nanoseconds.
const (
	eventTime = 1000 // of an event
	eventEnd  = 500  // from the last event in a container to its end
)

// Span is when a container began and ended, in nanoseconds on the axis of the job, cut at the ends of the
// scope. It is within the span of what is around it.
type Span struct {
	Begin, End int64
	// Known reports whether both were recorded.
	Known bool
	// Ended reports whether the end was recorded: in Enter, without times, End is that of what is around it and Ended is false.
	Ended bool
}

// Clock tells a visitor when what it visits began and ended. It is used by one visitor, which passes on
// the calls that it gets.
type Clock struct {
	j     *Job
	stack []Span
	end   int64 // of the thread
	now   int64 // the latest moment in the part

	durations durations // of calls that were entered
}

// Clock returns a clock for a new visitor.
func (j *Job) Clock() *Clock { return &Clock{j: j} }

func (c *Clock) Begin(thread int32) {
	c.stack, c.now = c.stack[:0], 0
	c.end = c.j.ThreadEnd(thread)
}

func (c *Clock) Around(p *lazy.PassPoint) { c.stack = append(c.stack, c.span(p)) }

// Enter is for the visitor's Enter. In a trace with times it tells the end as well.
func (c *Clock) Enter(p *lazy.PassPoint) Span {
	s := c.span(p)
	if s.Known {
		c.durations.add(s.End - s.Begin)
	}
	c.stack = append(c.stack, s)
	c.now = max(c.now, s.Begin)
	return s
}

func (c *Clock) Exit(p *lazy.PassPoint) Span {
	s := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	if !c.j.Timed {
		s.Ended = p.State == lazy.StateWhole
		s.End = int64(p.Last())*eventTime + eventEnd
		s.Known = s.Ended
	}
	c.now = max(c.now, s.End)
	return s
}

// Now returns the latest moment of what was visited in the part.
func (c *Clock) Now() int64 { return c.now }

// Open returns the spans of the containers that are open, outermost first. It is valid until the next call.
func (c *Clock) Open() []Span { return c.stack }

// Leaf returns the moment of a point that is no container.
func (c *Clock) Leaf(p *lazy.PassPoint) int64 {
	at := int64(p.Event) * eventTime
	if c.j.Timed {
		outer := c.outer()
		ns, ok := p.Moment()
		if at = outer.Begin; ok {
			at = min(max(ns, outer.Begin), outer.End)
		}
	}
	c.now = max(c.now, at)
	return at
}

// outer returns the span of what is around the next point.
func (c *Clock) outer() Span {
	if n := len(c.stack); n > 0 {
		return c.stack[n-1]
	}
	from, to := c.j.axis()
	return Span{Begin: from, End: min(c.end, to)}
}

func (j *Job) axis() (from, to int64) {
	if j.Scope.Timed {
		return max(0, j.Scope.From), j.Scope.To
	}
	return 0, farAway
}

// span returns the span of a container that is being entered.
func (c *Clock) span(p *lazy.PassPoint) Span {
	outer := c.outer()
	if !c.j.Timed {
		return Span{Begin: int64(p.Event) * eventTime, End: outer.End}
	}
	s := outer
	t, ok := p.Time()
	if ok {
		s = Span{Begin: t.Start, End: t.End(), Known: true, Ended: true}
	} else if ns, known := p.Moment(); known {
		s.Begin, s.End = ns, outer.End
	}
	s.Begin = min(max(s.Begin, outer.Begin), outer.End)
	s.End = min(max(s.End, s.Begin), outer.End)
	if !ok {
		s.Known, s.Ended = false, false
	}
	return s
}

// durations counts calls by the number of bits of their durations.
type durations [64]int64

func (d *durations) add(ns int64) { d[bits.Len64(uint64(max(0, ns)))]++ }

// take moves the counts of o to d.
func (d *durations) take(o *durations) {
	for i, n := range o {
		d[i] += n
	}
	*o = durations{}
}

// shortest returns a duration so that calls that take as long are few enough for the limit, if all calls take
// size bytes, and how many bytes they would take; 0 if there is none.
func (d *durations) shortest(size, limit int64) (ns, then int64) {
	all, left := int64(0), int64(0)
	for _, n := range d {
		all += n
	}
	if left = all; all == 0 {
		return 0, 0
	}
	at := 0
	for _, step := range [...]int64{1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9} {
		for ; at < bits.Len64(uint64(step)); at++ {
			left -= d[at]
		}
		if then = int64(float64(size) * float64(left) / float64(all)); then <= limit*3/4 {
			if left == 0 {
				return 0, 0
			}
			return step, then
		}
	}
	return 0, 0
}
