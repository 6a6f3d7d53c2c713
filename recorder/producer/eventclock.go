package producer

import "time"

// eventClock has nanoseconds that never go back. They begin as those since the
// machine was started.
type eventClock struct {
	base   time.Time
	offset int64
}

func (c *eventClock) begin() {
	c.base = time.Now()
	c.offset = int64(BootTime(c.base))
}

func (c *eventClock) now() uint64 { return uint64(int64(time.Since(c.base)) + c.offset) }

// SameMoment returns one moment on a clock and on that of [BootTime], as exactly as
// two clocks can be looked at. Both are in nanoseconds, and the clock never goes
// back.
func SameMoment(clock func() uint64) (here, boot uint64) {
	return sameMoment(clock, func() uint64 { return BootTime(time.Now()) })
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
