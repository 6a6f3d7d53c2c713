package recorder

import (
	"math/bits"
	"sort"
	"sync"
	"time"
)

// A trace point's time is a reading of the fastest counter that can be relied
// on: the processor's own where [reliableCounter] says so, else nanoseconds of
// Go's monotonic clock. Readings are turned into nanoseconds by whoever writes
// them, so that a goroutine that records pays for the reading alone.

// horizon is how far ahead a look at the monotonic clock makes a clock say how
// its counter will go on, in ns. However badly the counter's rate is known, what
// it says is wrong by that much of the horizon alone, and not for longer.
const horizon = int64(10 * time.Millisecond)

// maxPoints bounds what a clock remembers of the past.
const maxPoints = 1024

// clock says which nanosecond since base a reading is. It is one rising line
// for all threads, made of straight pieces:
//
//	ns |                   ____x   x: looks at the monotonic clock
//	   |              _x---        o: where it was expected to be by then
//	   |         __o--
//	   |   __x---
//	   |x--
//	   +---------------------------- reading
//
// Pieces that were used do not change, so that a thread's times do not go back
// and those of two threads can be compared; and as each look begins a new one,
// the line stays where the monotonic clock is, however long the program runs.
type clock struct {
	counter bool // readings are the processor's, not nanoseconds
	base    time.Time

	mu     sync.Mutex
	points []instant // where pieces meet; the last is ahead of all that was asked for
	took   uint64    // by the shortest look, in units of the counter

	// The counter may run on while the machine sleeps; the monotonic clock does
	// not. So the rate is the highest between two looks a horizon apart.
	looked instant
	best   uint64
}

// instant is a reading and its nanosecond since the clock's base.
type instant struct {
	reading uint64
	ns      int64
}

// begin starts a clock. plain: the processor's counter is not to be used.
func (c *clock) begin(plain bool) {
	c.counter = !plain && reliableCounter()
	c.base = time.Now()
	if c.counter {
		c.looked = c.look()
		c.points = append(c.points, c.looked)
	}
}

// read returns a reading.
func (c *clock) read() uint64 {
	if c.counter {
		return counter()
	}
	return uint64(time.Since(c.base))
}

// look reads counter and monotonic clock at the same moment: of some attempts
// the one that was interrupted least.
func (c *clock) look() (best instant) {
	least := ^uint64(0)
	for i := 0; i < 3 || i < 30 && least > 2*c.took; i++ {
		before := counter()
		ns := int64(time.Since(c.base))
		took := counter() - before
		if took < least {
			best, least = instant{before + took/2, ns}, took
		}
	}
	if c.took == 0 || least < c.took {
		c.took = least
	}
	return best
}

// piece is a straight piece of a clock's line.
type piece struct {
	from, behind uint64 // readings
	ns           int64  // at from
	rate         uint64 // nanoseconds per unit of the counter, times 2^32
}

// at returns the nanosecond of a reading within the piece.
func (p *piece) at(reading uint64) int64 {
	hi, lo := bits.Mul64(reading-p.from, p.rate)
	return p.ns + int64(hi<<32|lo>>32)
}

// has reports whether a reading lies in the piece.
func (p *piece) has(reading uint64) bool { return reading-p.from < p.behind-p.from }

// around returns the piece in which a reading lies. A reading from before the
// clock began is taken for its begin.
func (c *clock) around(reading uint64) piece {
	if !c.counter {
		return piece{0, ^uint64(0), 0, 1 << 32}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reach(reading)
	i := sort.Search(len(c.points), func(i int) bool { return c.points[i].reading > reading })
	if i == 0 {
		return piece{reading, reading + 1, c.points[0].ns, 0}
	}
	a, b := c.points[i-1], c.points[i]
	return piece{a.reading, b.reading, a.ns, rate(a, b)}
}

// rate is that of the line from a to b. The counter's value at b is above that
// at a.
func rate(a, b instant) uint64 {
	ns := uint64(max(b.ns-a.ns, 0))
	units := b.reading - a.reading
	if ns>>32 >= units { // a counter that hardly moves: not to be believed
		return 0
	}
	r, _ := bits.Div64(ns>>32, ns<<32, units)
	return r
}

// reach continues the line until it is ahead of a reading. mu is held.
func (c *clock) reach(reading uint64) {
	last := c.points[len(c.points)-1]
	if reading < last.reading {
		return
	}
	now := c.look()
	if now.ns-c.looked.ns >= horizon {
		c.best = max(c.best, rate(c.looked, now))
		c.looked = now
	}
	// What was promised holds, even if the counter turns out to be slower.
	now.ns = max(now.ns, last.ns)
	now.reading = max(now.reading, reading)
	if now.reading > last.reading {
		c.points = append(c.points, now)
	}
	first := c.points[0]
	ahead := min(now.ns-first.ns, horizon) // what is known of little time holds for little
	next := instant{now.reading + 1, now.ns}
	if r := max(c.best, rate(first, instant{now.reading + 1, now.ns})); r > 0 {
		units, _ := bits.Div64(uint64(ahead)>>32, uint64(ahead)<<32, r)
		next = instant{now.reading + 1 + units, now.ns + ahead}
	}
	c.points = append(c.points, next)
	if len(c.points) > maxPoints {
		c.thin()
	}
}

// thin forgets half of the older points. The counter is so regular that the line
// stays where it is but for some nanoseconds. mu is held.
func (c *clock) thin() {
	kept := c.points[:1]
	for i := 1; i < len(c.points); i++ {
		if i%2 == 0 || i > maxPoints*3/4 {
			kept = append(kept, c.points[i])
		}
	}
	c.points = kept
}
