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
