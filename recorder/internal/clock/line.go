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

// Horizon is how far ahead, in ns, a look at the monotonic clock predicts the counter. However
// inaccurate the counter's rate is, it causes an error only within one horizon.
const Horizon = int64(10 * time.Millisecond)

// counterRate is how fast the counter is, as looks measure it.
//
// The counter may run while the machine sleeps; the monotonic clock does not. So the rate is
// the highest of the last three measured between looks a horizon apart. Too high a rate leads to
// more looks, too low a rate to fewer.
type counterRate struct {
	measured instant   // the look that the next measurement begins with
	recent   [3]uint64 // the last three measurements
	rate     uint64    // nanoseconds per unit of the counter, times 2^32; 0 if not known yet
}

// measure computes the rate from a look.
func (r *counterRate) measure(now instant) {
	if now.ns-r.measured.ns < Horizon {
		if r.recent[0] == 0 {
			r.rate = rate(r.measured, instant{now.reading + 1, now.ns})
		}
		return
	}
	if measured := rate(r.measured, now); measured > 0 {
		if r.recent[0] == 0 {
			r.recent = [3]uint64{measured, measured, measured}
		}
		r.recent = [3]uint64{r.recent[1], r.recent[2], measured}
		r.rate = max(r.recent[0], r.recent[1], r.recent[2])
	}
	r.measured = now
}

// mostUnits bounds how far a counter may advance between two looks: enough for some years.
const mostUnits = 1 << 58

// units returns how far the counter advances in some nanoseconds.
func (r *counterRate) units(ns int64) uint64 {
	if ns <= 0 || r.rate == 0 {
		return 0
	}
	if uint64(ns)>>32 >= r.rate {
		return mostUnits
	}
	n, _ := bits.Div64(uint64(ns)>>32, uint64(ns)<<32, r.rate)
	return min(n, mostUnits)
}

// slack is how far apart the counters of two processors may be, or a reading and the one it is
// compared with: a millisecond.
func (r *counterRate) slack() uint64 { return max(r.units(int64(time.Millisecond)), 1000) }

// span returns about how many nanoseconds the counter takes for some units.
func (r *counterRate) span(units uint64) int64 {
	p := Segment{0, units, 0, r.rate}
	return p.At(units)
}

// TimeSource is a counter and a monotonic clock that a [Clock] reads instead of the machine's: for
// tests, and for a recording that has ended.
type TimeSource interface {
	Counter() uint64
	NS() int64
}

// sampler reads the processor's counter and the monotonic clock.
type sampler struct {
	counter bool          // readings are a counter's, not nanoseconds
	count   func() uint64 // the processor's counter
	source  TimeSource    // nil for the machine's
	base    time.Time     // nanosecond 0
	took    uint64        // by the shortest look, in units of the counter
}

// HasCounter reports whether readings are those of a counter, which may restart.
func (s *sampler) HasCounter() bool { return s.counter }

// Start is when the clock began: its nanosecond 0.
func (s *sampler) Start() time.Time { return s.base }

func (s *sampler) Read() uint64 {
	switch {
	case s.source != nil:
		return s.source.Counter()
	case s.counter:
		return s.count()
	}
	return uint64(s.Now())
}

// Now returns the nanosecond of the monotonic clock.
func (s *sampler) Now() int64 {
	if s.source != nil {
		return s.source.NS()
	}
	return int64(time.Since(s.base))
}

// look reads the counter and the monotonic clock at the same moment. It returns the least
// interrupted of several attempts. Two looks cannot be made at once.
func (s *sampler) look() (best instant) {
	least := ^uint64(0)
	for i := 0; i < 3 || i < 30 && least > 2*s.took; i++ {
		before := s.Read()
		ns := s.Now()
		took := s.Read() - before
		if took < least {
			best, least = instant{before + took/2, ns}, took
		}
	}
	if s.took == 0 || least < s.took {
		s.took = least
	}
	return best
}
