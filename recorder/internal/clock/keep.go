package clock

import (
	"encoding/binary"

	"tracex/recorder/internal/live"
)

// liveClock is where the clock's line is in the live file: in two pieces, used in turn.
type liveClock struct {
	file   *live.File
	pieces [2]*live.Piece
	turn   int
}

// A piece has the number of points and of eras, the last look, and then the points and the
// eras.
const (
	clockHead  = 32
	clockPoint = 16
	clockEra   = 24
	clockPiece = clockHead + (maxPoints+8)*clockPoint + (maxEras+8)*clockEra
)

// KeepIn makes the clock keep its line in the live file from now on.
func (c *Clock) KeepIn(l *live.File) error {
	k := &liveClock{file: l}
	for i := range k.pieces {
		var err error
		if k.pieces[i], err = l.Alloc(clockPiece); err != nil {
			return err
		}
		l.Word(live.AtClock + int64(i)*8).Store(uint64(k.pieces[i].Off))
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
	k.turn = 1 - k.turn
	p := k.pieces[k.turn]
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
	k.file.Word(live.AtClock + 16).Store(uint64(k.turn))
}
