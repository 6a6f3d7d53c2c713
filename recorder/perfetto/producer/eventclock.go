package producer

import (
	"sync/atomic"
	"time"
)

// eventClock has nanoseconds that never go back. They are those since the machine
// was started: when it has slept they are up to lookEvery late, then they jump.
type eventClock struct {
	base   time.Time
	boot   func() uint64
	offset atomic.Int64 // from those since base
	looked atomic.Int64 // when it was found out, since base
}

// The Go runtime's clock stands still while the machine sleeps. It is looked for that
// once in so many nanoseconds; less than the others are two looks that took long.
const (
	lookEvery = int64(time.Second)
	sleptNs   = int64(10 * time.Millisecond)
)

func (c *eventClock) begin(boot func() uint64) {
	c.base, c.boot = time.Now(), boot
	c.offset.Store(int64(boot()))
}

func (c *eventClock) now() uint64 {
	since := int64(time.Since(c.base))
	if last := c.looked.Load(); since-last >= lookEvery && c.looked.CompareAndSwap(last, since) {
		c.look()
	}
	return uint64(since + c.offset.Load())
}

// look finds out how long the machine has slept. One goroutine does so at a time.
func (c *eventClock) look() {
	here, boot := sameMoment(func() uint64 { return uint64(time.Since(c.base)) }, c.boot)
	if offset := int64(boot - here); offset-c.offset.Load() > sleptNs {
		c.offset.Store(offset)
	}
}

func bootTime() uint64 { return BootTime(time.Now()) }

// SameMoment returns one moment on a clock and on that of [BootTime], as exactly as
// two clocks can be looked at. Both are in nanoseconds, and the clock never goes
// back.
func SameMoment(clock func() uint64) (here, boot uint64) {
	return sameMoment(clock, bootTime)
}

// How often both clocks are looked at, and within how many nanoseconds it is often
// enough. Whoever looks can be interrupted between the two, for milliseconds on a
// busy machine: all events of a sequence would be early by that.
const (
	looks    = 16
	atOnceNs = 1000
)

// sameMoment returns one moment on two clocks, in nanoseconds: the one in the middle
// of the shortest time in which the other was looked at.
func sameMoment(clock, other func() uint64) (here, there uint64) {
	shortest := ^uint64(0)
	for range looks {
		before := clock()
		at := other()
		if took := clock() - before; took < shortest {
			shortest, here, there = took, before+took/2, at
		}
		if shortest <= atOnceNs {
			break
		}
	}
	return here, there
}
