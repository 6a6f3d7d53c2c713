package producer

import (
	"testing"
	"time"
)

// TestEventClockSleeps has the machine sleep for an hour. Later events are later by
// an hour, and none is before the previous one.
func TestEventClockSleeps(t *testing.T) {
	const hour, little = uint64(time.Hour), uint64(time.Minute) // little allows for looks that take long
	began, slept := time.Now(), uint64(0)
	var c eventClock
	c.begin(func() uint64 { return 5*hour + uint64(time.Since(began)) + slept })
	before := c.now()
	slept = hour
	c.looked.Store(c.looked.Load() - lookEvery) // a look is due
	after := c.now()
	if took := uint64(time.Since(began)); before < 5*hour || after < before+hour-little || after > 6*hour+took+little {
		t.Errorf("%d before and %d after an hour of sleep", before, after)
	}
	slept = 0 // the boot clock went back: the event clock does not
	c.looked.Store(c.looked.Load() - lookEvery)
	if again := c.now(); again < after {
		t.Errorf("%d after %d", again, after)
	}
}

// TestSameMoment looks at two clocks and is interrupted, between a few of the looks
// or most of them.
func TestSameMoment(t *testing.T) {
	const apart = 1 << 40
	for _, c := range []struct {
		name  string
		takes func(look int) uint64 // nanoseconds that pass after each look at a clock
		error uint64                // that is allowed
	}{
		{"never", func(int) uint64 { return 50 }, 50},
		{"after the first look", func(n int) uint64 {
			if n == 0 {
				return 5e6
			}
			return 50
		}, 50},
		{"between the first three looks", func(n int) uint64 {
			if n < 2 {
				return 5e6
			}
			return 50
		}, 50},
		{"nearly always", func(n int) uint64 {
			if n/3 == 7 {
				return 2000
			}
			return 5e6
		}, 2000},
		{"always", func(int) uint64 { return 3e6 }, 3e6},
	} {
		now, looked := uint64(1e9), 0
		look := func() uint64 {
			at := now
			now += c.takes(looked)
			looked++
			return at
		}
		here, there := sameMoment(look, func() uint64 { return look() + apart })
		if off := int64(there - here - apart); off > int64(c.error) || -off > int64(c.error) {
			t.Errorf("interrupted %s: the clocks are %d ns off", c.name, off)
		}
		if looked > 3*looks {
			t.Errorf("interrupted %s: %d looks", c.name, looked)
		}
	}
}
