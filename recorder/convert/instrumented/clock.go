package instrumented

import (
	"math"
	"sort"

	"tracex/recorder/instrument/raw"
)

// clock converts a program's counter to ns of the trace, from pairs of counter and time that the
// program recorded. Between two pairs it interpolates linearly.
type clock struct {
	kind   uint32
	shift  int64 // added to the program's ns
	points []point
	last   point // the last pair, which may be near the last of points

	// The segment used last.
	from, to uint64
	base     int64
	rate     float64 // ns a count
}

// point is a pair of a counter and a time in ns.
type point struct {
	counter uint64
	ns      int64
}

const (
	pointSpacing = 10e6    // ns between points, at least
	mostPoints   = 1 << 16 // then every second one is dropped
	mostNanos    = math.MaxInt64 / 4
)

func newClock(h *raw.Header, shift int64) clock {
	p := point{h.Counter, int64(min(h.Nanos, mostNanos))}
	return clock{kind: h.Clock, shift: shift, points: []point{p}, last: p}
}

// nanos returns the time of the trace for one of the program's monotonic clock.
func (c *clock) nanos(ns uint64) int64 { return int64(min(ns, mostNanos)) + c.shift }

// add adds a pair, unless it is not later than the last one.
func (c *clock) add(counter, nanos uint64) {
	p := point{counter, int64(min(nanos, mostNanos))}
	if c.kind != raw.ClockCounter || p.counter <= c.last.counter || p.ns <= c.last.ns {
		return
	}
	c.last, c.from, c.to = p, 0, 0
	if p.ns-c.points[len(c.points)-1].ns < pointSpacing {
		return
	}
	if len(c.points) == mostPoints {
		kept := c.points[:0]
		for i := 0; i < mostPoints; i += 2 {
			kept = append(kept, c.points[i])
		}
		c.points = kept
	}
	c.points = append(c.points, p)
}

// at returns the time of a counter in ns of the trace.
func (c *clock) at(counter uint64) int64 {
	if counter-c.from < c.to-c.from {
		return c.base + int64(float64(counter-c.from)*c.rate)
	}
	switch c.kind {
	case raw.ClockNone:
		return 0
	case raw.ClockNanos:
		return c.nanos(counter)
	}
	return c.find(counter)
}

// find makes the segment around a counter the current one, and returns the counter's time.
func (c *clock) find(counter uint64) int64 {
	i := sort.Search(len(c.points), func(i int) bool { return c.points[i].counter > counter })
	i = max(i-1, 0)
	a := c.points[i]
	from, to := c.points[0], c.last // beyond the last point the mean rate is the best known
	end := uint64(math.MaxUint64)
	if i+1 < len(c.points) {
		from, to = a, c.points[i+1]
		end = to.counter
	}
	c.rate = 1
	if to.counter > from.counter {
		c.rate = float64(to.ns-from.ns) / float64(to.counter-from.counter)
	}
	if counter < a.counter { // before the first pair
		return a.ns + c.shift
	}
	c.from, c.to, c.base = a.counter, end, a.ns+c.shift
	ns := float64(counter-a.counter) * c.rate
	if ns > mostNanos { // a damaged counter
		c.from, c.to = 0, 0
		return c.base
	}
	return c.base + int64(ns)
}
