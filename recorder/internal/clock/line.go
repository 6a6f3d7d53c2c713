package clock

import (
	"math/bits"
	"sort"
	"time"
)

// maxPoints bounds what a clock remembers of the past.
const maxPoints = 1024

// line is a clock's line: the points where its segments meet. Readings rise from point to point,
// nanoseconds do not fall. The last point is ahead of all readings that were asked for.
type line struct {
	points []instant
}

// instant is a reading and its nanosecond since the clock's base.
type instant struct {
	reading uint64
	ns      int64
}

// first returns the first point. There is one.
func (l *line) first() instant { return l.points[0] }

// last returns the last point. There is one.
func (l *line) last() instant { return l.points[len(l.points)-1] }

// add adds a point to the line, moved up if necessary to make the line rise. It returns that
// point.
func (l *line) add(p instant) instant {
	last := l.last()
	p = instant{max(p.reading, last.reading+1), max(p.ns, last.ns)}
	l.points = append(l.points, p)
	return p
}

// segment returns the segment that a reading is in.
func (l *line) segment(reading uint64) Segment {
	i := sort.Search(len(l.points), func(i int) bool { return l.points[i].reading > reading })
	if i == 0 || i == len(l.points) {
		return Segment{reading, reading + 1, l.points[max(i-1, 0)].ns, 0}
	}
	a, b := l.points[i-1], l.points[i]
	return Segment{a.reading, b.reading, a.ns, rate(a, b)}
}

// thin forgets older points where the line hardly bends.
func (l *line) thin() {
	for near := int64(time.Microsecond); len(l.points) > maxPoints*3/4 && near < int64(mostUnits); near *= 4 {
		kept := l.points[:1]
		for i := 1; i < len(l.points); i++ {
			if i%2 == 1 && i < maxPoints*3/4 && i+1 < len(l.points) {
				a, b := kept[len(kept)-1], l.points[i+1]
				p := Segment{a.reading, b.reading, a.ns, rate(a, b)}
				if d := p.At(l.points[i].reading) - l.points[i].ns; -near < d && d < near {
					continue
				}
			}
			kept = append(kept, l.points[i])
		}
		l.points = kept
	}
}

// Segment is a straight part of a clock's line.
type Segment struct {
	from, end uint64 // readings
	ns        int64  // at from
	rate      uint64 // nanoseconds per unit of the counter, times 2^32
}

// At returns the nanosecond of a reading within the segment.
func (p *Segment) At(reading uint64) int64 {
	hi, lo := bits.Mul64(reading-p.from, p.rate)
	return p.ns + int64(hi<<32|lo>>32)
}

// Has reports whether a reading is in the segment.
func (p *Segment) Has(reading uint64) bool { return reading-p.from < p.end-p.from }

// rate is the rate of the line from a to b. b.reading is not below a.reading.
func rate(a, b instant) uint64 {
	ns := uint64(max(b.ns-a.ns, 0))
	units := b.reading - a.reading
	if ns>>32 >= units { // a counter that hardly moves: unbelievable
		return 0
	}
	r, _ := bits.Div64(ns>>32, ns<<32, units)
	return r
}
