// Package clock maps the readings of a recording to nanoseconds.
//
// A trace point's time is a reading of the fastest counter that is reliable: the processor's
// own if possible, else nanoseconds of Go's monotonic clock. The writer of the points converts
// readings to nanoseconds, so a goroutine that records pays only for the reading.
package clock

import (
	"math/bits"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Horizon is how far ahead, in ns, a look at the monotonic clock predicts the counter. However
// inaccurate the counter's rate is, it causes an error only within one horizon.
const Horizon = int64(10 * time.Millisecond)

// maxPoints bounds what a clock remembers of the past.
const maxPoints = 1024

// Clock maps a reading to nanoseconds since base. The mapping is one rising line for all
// threads, made of straight segments:
//
//	ns |                   ____x   x: looks at the monotonic clock
//	   |              _x---        o: where it was expected to be by then
//	   |         __o--
//	   |   __x---
//	   |x--
//	   +---------------------------- reading
//
// Segments that were used do not change, so a thread's times never decrease and those of two
// threads can be compared. As each look begins a new segment, the line stays near the monotonic
// clock, however long the program runs. A look is made when a goroutine gets a buffer, and by
// the timer.
//
// The counter may restart, for example if the machine was suspended or migrated. Readings from
// then on are mapped to after the earlier ones: see era.
type Clock struct {
	counter bool          // readings are a counter's, not nanoseconds
	count   func() uint64 // the processor's counter
	source  Source
	base    time.Time

	// What Notice needs of the last look without the lock.
	seen  atomic.Uint64 // the counter
	quiet atomic.Uint64 // how far it may advance from there until another look is due
	again atomic.Int64  // how often the counter restarted
	begun func()        // see Begin

	live *liveClock // where the line is kept for Finish; nil if nowhere

	mu     sync.Mutex
	points []instant // where segments meet; the last is ahead of all that was asked for
	took   uint64    // by the shortest look, in units of the counter
	looked instant   // the last look
	eras   []era     // one more than the counter restarted, less the forgotten ones

	// The counter may run while the machine sleeps; the monotonic clock does not. So rate is
	// the highest of the last three measured between looks a horizon apart. Too high a rate
	// leads to more looks, too low a rate to fewer.
	measured instant
	rates    [3]uint64
	rate     uint64 // nanoseconds per unit of the counter, times 2^32; 0 if not known yet
}

// Source is what a clock looks at. Tests have their own.
type Source interface {
	Counter() uint64
	NS() int64
}

// instant is a reading and its nanosecond since the clock's base.
type instant struct {
	reading uint64
	ns      int64
}

// Begin starts a clock. count reads the processor's counter; if nil, readings are nanoseconds
// of the monotonic clock. from is nil, except in tests. again is called, without locks of the
// clock, after the counter has restarted; it may be nil.
func (c *Clock) Begin(count func() uint64, from Source, again func()) {
	c.source, c.count, c.begun = from, count, again
	c.counter = from != nil || count != nil
	c.base = time.Now()
	if c.counter {
		c.looked = c.look()
		c.measured = c.looked
		c.points = append(c.points, c.looked)
		c.eras = append(c.eras, era{from: c.looked.reading})
		c.seen.Store(c.looked.reading)
	}
}

// Read returns a reading.
func (c *Clock) Read() uint64 {
	switch {
	case c.source != nil:
		return c.source.Counter()
	case c.counter:
		return c.count()
	}
	return uint64(c.Now())
}

// Now returns the nanosecond of the monotonic clock.
func (c *Clock) Now() int64 {
	if c.source != nil {
		return c.source.NS()
	}
	return int64(time.Since(c.base))
}

// Present returns the current nanosecond on the line.
func (c *Clock) Present() int64 {
	if !c.counter {
		return c.Now()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.extend(0) // nothing more is recorded
	p := c.segment(c.looked.reading)
	return p.At(c.looked.reading)
}

// look reads the counter and the monotonic clock at the same moment. It returns the least
// interrupted of several attempts.
func (c *Clock) look() (best instant) {
	least := ^uint64(0)
	for i := 0; i < 3 || i < 30 && least > 2*c.took; i++ {
		before := c.Read()
		ns := c.Now()
		took := c.Read() - before
		if took < least {
			best, least = instant{before + took/2, ns}, took
		}
	}
	if c.took == 0 || least < c.took {
		c.took = least
	}
	return best
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

// Around returns the segment that a reading is in. A reading from before the clock's start is
// mapped to the start.
func (c *Clock) Around(reading uint64) Segment {
	if !c.counter {
		return Segment{0, ^uint64(0), 0, 1 << 32}
	}
	c.mu.Lock()
	again := false
	if reading >= c.points[len(c.points)-1].reading {
		again = c.extend(reading)
	}
	p := c.segment(reading)
	c.mu.Unlock()
	if again && c.begun != nil {
		c.begun()
	}
	return p
}

// segment returns the segment that a reading is in. mu is held.
func (c *Clock) segment(reading uint64) Segment {
	i := sort.Search(len(c.points), func(i int) bool { return c.points[i].reading > reading })
	if i == 0 || i == len(c.points) {
		return Segment{reading, reading + 1, c.points[max(i-1, 0)].ns, 0}
	}
	a, b := c.points[i-1], c.points[i]
	return Segment{a.reading, b.reading, a.ns, rate(a, b)}
}

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

// mostUnits bounds how far a counter may advance between two looks: enough for some years.
const mostUnits = 1 << 58

// units returns how far the counter advances in some nanoseconds.
func (c *Clock) units(ns int64) uint64 {
	if ns <= 0 || c.rate == 0 {
		return 0
	}
	if uint64(ns)>>32 >= c.rate {
		return mostUnits
	}
	n, _ := bits.Div64(uint64(ns)>>32, uint64(ns)<<32, c.rate)
	return min(n, mostUnits)
}

// slack is how far apart the counters of two processors may be, or a reading and the one it is
// compared with: a millisecond.
func (c *Clock) slack() uint64 { return max(c.units(int64(time.Millisecond)), 1000) }

// Notice looks at the clock if that is due. Otherwise it costs one reading.
func (c *Clock) Notice() {
	if c.counter && c.Read()-c.seen.Load() >= c.quiet.Load() {
		c.Refresh()
	}
}

// Refresh looks at the clock.
func (c *Clock) Refresh() {
	if !c.counter {
		return
	}
	c.mu.Lock()
	again := c.extend(0)
	c.mu.Unlock()
	if again && c.begun != nil {
		c.begun()
	}
}

// extend looks at the clock and continues the line, past reading if that is a current one. It
// reports whether the counter restarted. mu is held.
func (c *Clock) extend(reading uint64) (again bool) {
	now := c.look()
	c.seen.Store(now.reading)
	now.reading += c.eras[len(c.eras)-1].shift
	if again = c.began(now); again {
		now = c.beginAgain(now)
	} else {
		c.measure(now)
	}
	c.quiet.Store(c.units(Horizon))
	c.looked = now
	defer c.keep()
	if reading > now.reading && reading-now.reading <= c.slack() {
		now.reading = reading
	}
	last := c.points[len(c.points)-1]
	if now.reading < last.reading {
		return again
	}
	// The promised line is kept, even if the counter turns out to be slower. It extends only a
	// little past the present.
	c.add(now)
	ahead := min(now.ns-c.points[0].ns, Horizon) // a rate from a short time is used for a short time
	c.add(instant{now.reading + 1 + c.units(ahead), now.ns + ahead})
	if len(c.points) > maxPoints {
		c.thin()
	}
	return again
}

// add adds a point to the line, moved up if necessary to make the line rise. It returns that
// point. mu is held.
func (c *Clock) add(p instant) instant {
	last := c.points[len(c.points)-1]
	p = instant{max(p.reading, last.reading+1), max(p.ns, last.ns)}
	c.points = append(c.points, p)
	return p
}

// measure computes the rate from a look. mu is held.
func (c *Clock) measure(now instant) {
	if now.ns-c.measured.ns < Horizon {
		if c.rates[0] == 0 {
			c.rate = rate(c.measured, instant{now.reading + 1, now.ns})
		}
		return
	}
	if r := rate(c.measured, now); r > 0 {
		if c.rates[0] == 0 {
			c.rates = [3]uint64{r, r, r}
		}
		c.rates = [3]uint64{c.rates[1], c.rates[2], r}
		c.rate = max(c.rates[0], c.rates[1], c.rates[2])
	}
	c.measured = now
}

// thin forgets older points where the line hardly bends. mu is held.
func (c *Clock) thin() {
	for near := int64(time.Microsecond); len(c.points) > maxPoints*3/4 && near < int64(mostUnits); near *= 4 {
		kept := c.points[:1]
		for i := 1; i < len(c.points); i++ {
			if i%2 == 1 && i < maxPoints*3/4 && i+1 < len(c.points) {
				a, b := kept[len(kept)-1], c.points[i+1]
				p := Segment{a.reading, b.reading, a.ns, rate(a, b)}
				if d := p.At(c.points[i].reading) - c.points[i].ns; -near < d && d < near {
					continue
				}
			}
			kept = append(kept, c.points[i])
		}
		c.points = kept
	}
}

// Counts reports whether readings are those of a counter, which may restart.
func (c *Clock) Counts() bool { return c.counter }

// Start is when the clock began: its nanosecond 0.
func (c *Clock) Start() time.Time { return c.base }

// Latest returns the nanosecond of the last look at a counter.
func (c *Clock) Latest() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.looked.ns
}
