package recorder

import (
	"encoding/binary"
	"fmt"
	"time"

	"tracex/format"
	"tracex/recorder/internal/live"
)

// stillClock is a source whose time does not pass: it stays at the last moment that
// the live file knows.
type stillClock struct {
	reading uint64
	at      int64
}

func (s *stillClock) counter() uint64 { return s.reading }
func (s *stillClock) ns() int64       { return s.at }

// clock makes the recorder's clock as it was at the last moment that the live file
// knows.
func (z *finisher) clock(threads []*Thread, flags uint64) error {
	c := &z.r.clock
	c.base = time.Unix(0, int64(z.rest.Uint(live.AtBase)))
	if flags&liveTimes == 0 {
		return nil
	}
	last := lastReading(threads)
	if flags&liveCounter == 0 {
		c.source = &stillClock{reading: last, at: int64(last)}
		return nil
	}
	c.counter = true
	if err := z.line(c); err != nil {
		return err
	}
	c.took = 1
	era := &c.eras[len(c.eras)-1]
	c.again.Store(int64(len(c.eras) - 1))
	last = max(last+era.shift, c.looked.reading)
	// What was recorded after the last look goes on as the line did before it.
	if n := len(c.points); last >= c.points[n-1].reading && n > 1 {
		p := piece{c.points[n-2].reading, last, c.points[n-2].ns, rate(c.points[n-2], c.points[n-1])}
		c.add(instant{last + 1, p.at(last + 1)})
	}
	p := c.piece(last)
	c.looked = instant{last, p.at(last)}
	c.measured = c.looked
	c.seen.Store(last - era.shift)
	c.quiet.Store(mostUnits)
	c.source = &stillClock{reading: last - era.shift, at: c.looked.ns}
	return nil
}

// line reads the clock's line.
func (z *finisher) line(c *clock) error {
	which := int64(z.rest.Uint(live.AtClock+16) & 1)
	b, err := z.rest.Bytes(int64(z.rest.Uint(live.AtClock+which*8)), clockPiece)
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
		if n := len(c.points); n > 0 && (p.reading <= c.points[n-1].reading || p.ns < c.points[n-1].ns) {
			return fmt.Errorf("%w: its clock goes back", live.ErrDamaged)
		}
		c.points = append(c.points, p)
	}
	for range eras {
		c.eras = append(c.eras, era{take(), take(), take()})
	}
	return nil
}

// lastReading is the highest reading that any thread published.
func lastReading(threads []*Thread) (last uint64) {
	for _, t := range threads {
		last = max(last, t.file.reading, t.over.Load())
		for c := t.full.first; c != nil; c = c.next {
			if p := c.pending(); len(p.marks) > 0 {
				last = max(last, p.marks[len(p.marks)-1].reading)
			}
		}
	}
	return last
}

// names gives the registry what no block has yet.
func (z *finisher) names() error {
	g := &z.r.registry
	for kind := range g.counts {
		g.counts[kind] = int32(z.rest.Uint(live.AtCounts + int64(kind)*8))
	}
	taken := int64(z.rest.Uint(live.AtNames + 8))
	var b []byte
	for at, n := int64(z.rest.Uint(live.AtNames)), 0; at != 0; n++ {
		size := int64(z.rest.Uint(at + namesLen))
		piece, err := z.rest.Bytes(at+namesHead, size)
		if err != nil {
			return err
		}
		if int64(len(b)) > z.rest.Size() || n > 1<<20 {
			return fmt.Errorf("%w: its list of names has no end", live.ErrDamaged)
		}
		before := int64(z.rest.Uint(at + namesBefore))
		if skip := taken - before; skip > 0 {
			piece = piece[min(skip, size):]
		}
		b = append(b, piece...)
		at = int64(z.rest.Uint(at + nextNames))
	}
	for at := 0; at < len(b); {
		n, err := z.r.layout.version.Size(b[at:], 0)
		if err != nil || n <= 0 || n > len(b)-at || !format.Kind(b[at]).Reference() || n < 6 {
			return fmt.Errorf("%w: a name of kind %d at %d of %d bytes: %v", live.ErrDamaged, b[at], at, len(b), err)
		}
		id := int32(binary.BigEndian.Uint32(b[at+1:]))
		if format.Kind(b[at]) == format.KindCodeLocation {
			id = int32(binary.BigEndian.Uint32(b[at+2:]))
		}
		g.pending.cells = append(g.pending.cells, format.Cell{Kind: format.Kind(b[at]), ID: id, Start: int64(at)})
		at += n
	}
	g.pending.data = b
	return nil
}
