package clock

import (
	"encoding/binary"

	"tracex/recorder/internal/live"
)

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
