package producer

import (
	"sync/atomic"
	"time"
)

// eventClock counts the nanoseconds since the machine was started, and never goes
// back. After the machine slept, its time is late for up to lookEvery, then it
// jumps.
type eventClock struct {
	base   time.Time
	boot   func() uint64
	offset atomic.Int64 // from the time since base
	looked atomic.Int64 // time of the last look, since base
}

// The Go runtime's clock stops while the machine sleeps. Once in lookEvery
// nanoseconds the clock looks for such a sleep. A difference below sleptNs is an
// error of measurement.
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

// look finds out how long the machine has slept. Only one goroutine at a time calls
// it.
func (c *eventClock) look() {
	here, boot := sameMoment(func() uint64 { return uint64(time.Since(c.base)) }, c.boot)
	if offset := int64(boot - here); offset-c.offset.Load() > sleptNs {
		c.offset.Store(offset)
	}
}

func bootTime() uint64 { return BootTime(time.Now()) }

// SameMoment returns the same moment on a given clock and on that of [BootTime], as
// exactly as two clocks can be compared. Both are in nanoseconds, and the clock must
// never go back.
func SameMoment(clock func() uint64) (here, boot uint64) {
	return sameMoment(clock, bootTime)
}

// The maximum number of comparisons, and the nanoseconds within which one is exact
// enough. A goroutine can be interrupted between the two clocks, for milliseconds on
// a busy machine, and all events of a sequence would be early by that time.
const (
	looks    = 16
	atOnceNs = 1000
)

// sameMoment returns the same moment on two clocks, in nanoseconds. It reads clock
// before and after other, and uses the middle of the shortest such interval.
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
