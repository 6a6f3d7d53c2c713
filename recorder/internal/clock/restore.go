package clock

import (
	"encoding/binary"
	"fmt"
	"time"

	"tracex/recorder/internal/live"
)

// stillClock is a source whose time does not pass: it stays at the last moment in the live
// file.
type stillClock struct {
	reading uint64
	at      int64
}

func (s *stillClock) Counter() uint64 { return s.reading }
func (s *stillClock) NS() int64       { return s.at }

// Restore restores the clock as of the last moment in a live file; it stays there. last is the
// highest reading that was taken; counted reports whether readings are a counter's.
func (c *Clock) Restore(rest *live.Rest, counted bool, last uint64) error {
	c.base = time.Unix(0, int64(rest.Uint(live.AtBase)))
	if !counted {
		c.source = &stillClock{reading: last, at: int64(last)}
		return nil
	}
	c.counter = true
	if err := c.readLine(rest); err != nil {
		return err
	}
	c.took = 1
	era := &c.eras[len(c.eras)-1]
	c.restarts.Store(int64(len(c.eras) - 1))
	last = max(last+era.shift, c.looked.reading)
	// Readings after the last look continue the line before it.
	if n := len(c.line.points); last >= c.line.points[n-1].reading && n > 1 {
		p := Segment{c.line.points[n-2].reading, last, c.line.points[n-2].ns, rate(c.line.points[n-2], c.line.points[n-1])}
		c.line.add(instant{last + 1, p.At(last + 1)})
	}
	p := c.line.segment(last)
	c.looked = instant{last, p.At(last)}
	c.rate.measured = c.looked
	c.seen.Store(last - era.shift)
	c.quiet.Store(mostUnits)
	c.source = &stillClock{reading: last - era.shift, at: c.looked.ns}
	return nil
}

func (c *Clock) readLine(rest *live.Rest) error {
	which := int64(rest.Uint(live.AtClock+16) & 1)
	b, err := rest.Bytes(int64(rest.Uint(live.AtClock+which*8)), clockRegion)
	if err != nil {
		return err
	}
	take := func() uint64 {
		v := binary.NativeEndian.Uint64(b)
		b = b[8:]
		return v
	}
	points, eras := take(), take()
	if points == 0 || points > maxPoints+8 || eras == 0 || eras > maxEras+8 {
		return fmt.Errorf("%w: its clock has %d points and %d eras", live.ErrDamaged, points, eras)
	}
	c.looked = instant{take(), int64(take())}
	for range points {
		p := instant{take(), int64(take())}
		if n := len(c.line.points); n > 0 && (p.reading <= c.line.points[n-1].reading || p.ns < c.line.points[n-1].ns) {
			return fmt.Errorf("%w: its clock goes back", live.ErrDamaged)
		}
		c.line.points = append(c.line.points, p)
	}
	for range eras {
		c.eras = append(c.eras, era{take(), take(), take()})
	}
	return nil
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
