package recorder

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"tracex/recorder/internal/clock"
)

// The line of a clock rises, stays near the monotonic clock, and does not change where it was
// used before, in whatever order.
func TestClock(t *testing.T) {
	for _, plain := range []bool{false, true} {
		var c clock.Clock
		c.Begin((&Config{plain: plain}).counter(), nil, nil)
		type moment struct {
			before, after time.Duration
			reading       uint64
			ns            int64
		}
		moments := make([]moment, 3000)
		var group sync.WaitGroup
		for g := range 3 {
			group.Go(func() {
				var line clock.Segment
				for i := g; i < len(moments); i += 3 {
					m := &moments[i]
					m.before = time.Since(c.Start())
					m.reading = c.Read()
					m.after = time.Since(c.Start())
					if rand.IntN(2) == 0 || !line.Has(m.reading) {
						line = c.Around(m.reading)
					}
					m.ns = line.At(m.reading)
					until(time.Now().Add(20 * time.Microsecond))
				}
			})
		}
		group.Wait()
		for i, m := range moments {
			line := c.Around(m.reading)
			if again := line.At(m.reading); again != m.ns {
				t.Fatalf("plain %v: reading %d was %d ns and is %d", plain, m.reading, m.ns, again)
			}
			if ns := time.Duration(m.ns); ns < m.before-near || ns > m.after+near {
				t.Fatalf("plain %v: reading %d is at %v, want %v to %v", plain, i, ns, m.before, m.after)
			}
			other := moments[rand.IntN(len(moments))]
			if m.reading < other.reading && m.ns > other.ns {
				t.Fatalf("plain %v: %+v, %+v: the line falls", plain, m, other)
			}
		}
		if line := c.Around(0); line.At(0) < 0 || line.At(0) > int64(moments[0].after) {
			t.Errorf("before its begin, the clock is at %d, and at %v it was read first", line.At(0), moments[0].after)
		}
	}
}
