// Package clock maps the readings of a recording to nanoseconds.
//
// A trace point's time is a reading of the fastest counter that is reliable: the processor's
// own if possible, else nanoseconds of Go's monotonic clock. The writer of the points converts
// readings to nanoseconds, so a goroutine that records pays only for the reading.
package clock

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"tracex/recorder/internal/live"
)

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
	sampler

	// What Notice needs of the last look without the lock.
	seen      atomic.Uint64 // the counter
	quiet     atomic.Uint64 // how far it may advance from there until another look is due
	restarts  atomic.Int64  // how often the counter restarted
	onRestart func()        // see Begin

	live *liveClock // where the line is kept for Finish; nil if nowhere

	mu     sync.Mutex // guards the fields from here on, and looks
	line   line
	rate   counterRate
	looked instant // the last look
	eras   []era   // one more than the counter restarted, less the forgotten ones
}

// Begin starts a clock. count reads the processor's counter; if nil, readings are nanoseconds
// of the monotonic clock. from is nil, except in tests. onRestart is called, without locks of the
// clock, after the counter has restarted; it may be nil.
func (c *Clock) Begin(count func() uint64, from TimeSource, onRestart func()) {
	c.source, c.count, c.onRestart = from, count, onRestart
	c.counter = from != nil || count != nil
	c.base = time.Now()
	if c.counter {
		c.looked = c.look()
		c.rate.measured = c.looked
		c.line = line{[]instant{c.looked}}
		c.eras = append(c.eras, era{from: c.looked.reading})
		c.seen.Store(c.looked.reading)
	}
}

// Present returns the current nanosecond on the line.
func (c *Clock) Present() int64 {
	if !c.counter {
		return c.Now()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.extend(0) // nothing more is recorded
	p := c.line.segment(c.looked.reading)
	return p.At(c.looked.reading)
}

// Around returns the segment that a reading is in. A reading from before the clock's start is
// mapped to the start.
func (c *Clock) Around(reading uint64) Segment {
	if !c.counter {
		return Segment{0, ^uint64(0), 0, 1 << 32}
	}
	c.mu.Lock()
	restarted := false
	if reading >= c.line.last().reading {
		restarted = c.extend(reading)
	}
	p := c.line.segment(reading)
	c.mu.Unlock()
	if restarted && c.onRestart != nil {
		c.onRestart()
	}
	return p
}

// Notice looks at the clock if that is due. Otherwise it costs one reading.
func (c *Clock) Notice() {
	if c.counter && c.Read()-c.seen.Load() >= c.quiet.Load() {
		c.Refresh()
	}
}

func (c *Clock) Refresh() {
	if !c.counter {
		return
	}
	c.mu.Lock()
	restarted := c.extend(0)
	c.mu.Unlock()
	if restarted && c.onRestart != nil {
		c.onRestart()
	}
}

// extend looks at the clock and continues the line, past reading if that is a current one. It
// reports whether the counter restarted. mu is held.
func (c *Clock) extend(reading uint64) (restarted bool) {
	now := c.look()
	c.seen.Store(now.reading)
	now.reading += c.eras[len(c.eras)-1].shift
	if restarted = c.hasRestarted(now); restarted {
		now = c.restart(now)
	} else {
		c.rate.measure(now)
	}
	c.quiet.Store(c.rate.units(Horizon))
	c.looked = now
	defer c.keep()
	if reading > now.reading && reading-now.reading <= c.rate.slack() {
		now.reading = reading
	}
	last := c.line.last()
	if now.reading < last.reading {
		return restarted
	}
	// The promised line is kept, even if the counter turns out to be slower. It extends only a
	// little past the present.
	c.line.add(now)
	ahead := min(now.ns-c.line.first().ns, Horizon) // a rate from a short time is used for a short time
	c.line.add(instant{now.reading + 1 + c.rate.units(ahead), now.ns + ahead})
	if len(c.line.points) > maxPoints {
		c.line.thin()
	}
	return restarted
}

// Latest returns the nanosecond of the last look at a counter.
func (c *Clock) Latest() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.looked.ns
}

// liveClock is where the clock's line is in the live file: in two regions, used in turn.
type liveClock struct {
	file    *live.File
	regions [2]*live.Region
	current int
}

// A region has the number of points and of eras, the last look, and then the points and the
// eras.
const (
	clockHead   = 32
	clockPoint  = 16
	clockEra    = 24
	clockRegion = clockHead + (maxPoints+8)*clockPoint + (maxEras+8)*clockEra
)

// KeepIn makes the clock keep its line in the live file from now on.
func (c *Clock) KeepIn(l *live.File) error {
	k := &liveClock{file: l}
	for i := range k.regions {
		var err error
		if k.regions[i], err = l.Alloc(clockRegion); err != nil {
			return err
		}
		l.Word(live.AtClock + int64(i)*8).Store(uint64(k.regions[i].Off))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live = k
	c.keep()
	return nil
}

// keep writes the line to the live file. mu is held.
func (c *Clock) keep() {
	k := c.live
	if k == nil || len(c.line.points) > maxPoints+8 || len(c.eras) > maxEras+8 {
		return
	}
	k.current = 1 - k.current
	p := k.regions[k.current]
	b := p.Mem
	put := func(v uint64) { binary.NativeEndian.PutUint64(b, v); b = b[8:] }
	put(uint64(len(c.line.points)))
	put(uint64(len(c.eras)))
	put(c.looked.reading)
	put(uint64(c.looked.ns))
	for _, i := range c.line.points {
		put(i.reading)
		put(uint64(i.ns))
	}
	for _, e := range c.eras {
		put(e.from)
		put(e.shift)
		put(e.end)
	}
	k.file.Word(live.AtClock + 16).Store(uint64(k.current))
}

// Restarts of the counter. If the counter restarts, or departs from the monotonic clock between
// two looks, an era begins. Eras follow one another on the clock's line, without overlap.

// era is the time from one start of the counter to the next.
type era struct {
	from  uint64 // its start on the line
	shift uint64 // from a reading of the counter to its position on the line
	end   uint64 // after its last position; unknown for the current one
}

// maxEras bounds how many eras a clock remembers.
const maxEras = 256

// hasRestarted reports whether the counter restarted before a look, or the monotonic clock is so far
// ahead of the promised line that a new era is needed. mu is held.
func (c *Clock) hasRestarted(now instant) bool {
	last := c.line.last()
	return c.fell(now) || now.reading < last.reading && now.ns-last.ns > Horizon
}

// fell reports whether the counter is below the last look.
func (c *Clock) fell(now instant) bool {
	return int64(now.reading-c.looked.reading) < -int64(c.rate.slack())
}

// restart begins an era with a look, which is in terms of the previous one. It returns the
// look's position on the line. mu is held.
//
// The time of the restart since the last look is unknown, except for a bound: the counter's
// reading says how long ago it was at most, if it restarted at zero.
func (c *Clock) restart(now instant) instant {
	current := &c.eras[len(c.eras)-1]
	reading := now.reading - current.shift
	last := c.line.last()
	from, back := last.reading+1, uint64(0)
	if c.fell(now) {
		between := now.ns - c.looked.ns
		back = min(c.rate.units(between), reading)
		moment := now.ns - c.rate.span(back)
		if before := (instant{c.looked.reading + c.rate.units(moment-c.looked.ns), moment}); before.reading > last.reading {
			from = c.line.add(before).reading + 1
		}
		from = max(from, c.looked.reading+c.rate.units(between+between/4)+c.rate.slack())
		current.end = from
		c.line.add(instant{from, moment})
	} else {
		current.end = now.reading + 1
	}
	now.reading = c.line.add(instant{from + back, now.ns}).reading
	c.eras = append(c.eras, era{from: from, shift: now.reading - reading})
	if len(c.eras) > maxEras {
		c.eras = append(c.eras[:0], c.eras[1:]...)
	}
	c.rate.measured = now
	c.restarts.Add(1)
	return now
}

// Restart says that the marks of a chunk from some number on were made after the counter had
// restarted so often.
type Restart struct {
	mark  int
	count int64
}

// WithRestart returns list, the restarts of a chunk, with one more. It replaces one at the same
// mark.
func WithRestart(list []Restart, mark int, count int64) []Restart {
	if n := len(list); n > 0 && list[n-1].mark == mark {
		list[n-1].count = count
		return list
	}
	return append(list, Restart{mark, count})
}

// toLine maps a reading of the counter to the line, in the era after count restarts or a later one: to
// its first possible position after least. If there is none, it returns least.
func (c *Clock) toLine(reading, least uint64, count int64) uint64 {
	slack := int64(c.rate.slack())
	e := max(len(c.eras)-1-int(c.restarts.Load()-count), 0)
	for last := len(c.eras) - 1; ; e++ {
		era := &c.eras[e]
		at, end := reading+era.shift, era.end
		if e == last {
			end = c.looked.reading + c.quiet.Load() + uint64(slack)
		}
		switch {
		case int64(at-least) >= -slack && int64(at-era.from) >= -slack && int64(end-at) > 0:
			if int64(at-least) < 0 {
				return least
			}
			return at
		case e == last:
			return least
		}
	}
}

// Rebase maps readings to the line, in place, and returns the last of them. last is the one
// before them. list has the restarts of their chunk, in which the first reading's mark has number first.
func (c *Clock) Rebase(readings []uint64, first int, list []Restart, last uint64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	count := int64(0)
	for i := range readings {
		for len(list) > 0 && list[0].mark <= first+i {
			count, list = list[0].count, list[1:]
		}
		last = c.toLine(readings[i], last, count)
		readings[i] = last
	}
	return last
}

func (c *Clock) Restarts() int64 { return c.restarts.Load() }
