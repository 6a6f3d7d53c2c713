package service

import (
	"sync"
	"time"
)

// fakeClock is a clock controlled by a test.
type fakeClock struct {
	mu     sync.Mutex
	at     time.Time
	last   int
	timers map[int]fakeTimer
	asleep []time.Duration // durations of afterAsleep

	// settle, if not nil, returns once the service has handled all that was sent to it.
	// Without it the time may be advanced before a timer is set that belongs to a
	// command which the program has already received.
	settle func()
}

type fakeTimer struct {
	at time.Time
	f  func()
}

func newFakeClock(at time.Time) *fakeClock {
	return &fakeClock{at: at, timers: make(map[int]fakeTimer)}
}

func (c *fakeClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// afterAsleep is after: the time that a test passes counts for both, but it is
// recorded.
func (c *fakeClock) afterAsleep(d time.Duration, f func()) (stop func()) {
	c.mu.Lock()
	c.asleep = append(c.asleep, d)
	c.mu.Unlock()
	return c.after(d, f)
}

func (c *fakeClock) after(d time.Duration, f func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	id := c.last
	c.timers[id] = fakeTimer{c.at.Add(d), f}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, id)
	}
}

// next removes the timer that is due first, if it is due by then, and sets the clock
// to its time; otherwise it sets the clock to then.
func (c *fakeClock) next(then time.Time) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := 0
	for id, t := range c.timers {
		if of, ok := c.timers[first]; !t.at.After(then) && (!ok || t.at.Before(of.at) || t.at.Equal(of.at) && id < first) {
			first = id
		}
	}
	t, ok := c.timers[first]
	if !ok {
		if then.After(c.at) {
			c.at = then
		}
		return nil
	}
	delete(c.timers, first)
	if t.at.After(c.at) {
		c.at = t.at
	}
	return t.f
}

// set advances to a moment. All timers due by then have run when it returns.
func (c *fakeClock) set(then time.Time) {
	if c.settle != nil {
		c.settle()
	}
	for f := c.next(then); f != nil; f = c.next(then) {
		f()
	}
}

// pass advances the clock by d.
func (c *fakeClock) pass(d time.Duration) { c.set(c.now().Add(d)) }
