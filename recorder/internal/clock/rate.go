package clock

import (
	"math/bits"
	"time"
)

// counterRate is how fast the counter is, as looks measure it.
//
// The counter may run while the machine sleeps; the monotonic clock does not. So the rate is
// the highest of the last three measured between looks a horizon apart. Too high a rate leads to
// more looks, too low a rate to fewer.
type counterRate struct {
	measured instant   // the look that the next measurement begins with
	recent   [3]uint64 // the last three measurements
	rate     uint64    // nanoseconds per unit of the counter, times 2^32; 0 if not known yet
}

// measure computes the rate from a look.
func (r *counterRate) measure(now instant) {
	if now.ns-r.measured.ns < Horizon {
		if r.recent[0] == 0 {
			r.rate = rate(r.measured, instant{now.reading + 1, now.ns})
		}
		return
	}
	if measured := rate(r.measured, now); measured > 0 {
		if r.recent[0] == 0 {
			r.recent = [3]uint64{measured, measured, measured}
		}
		r.recent = [3]uint64{r.recent[1], r.recent[2], measured}
		r.rate = max(r.recent[0], r.recent[1], r.recent[2])
	}
	r.measured = now
}

// mostUnits bounds how far a counter may advance between two looks: enough for some years.
const mostUnits = 1 << 58

// units returns how far the counter advances in some nanoseconds.
func (r *counterRate) units(ns int64) uint64 {
	if ns <= 0 || r.rate == 0 {
		return 0
	}
	if uint64(ns)>>32 >= r.rate {
		return mostUnits
	}
	n, _ := bits.Div64(uint64(ns)>>32, uint64(ns)<<32, r.rate)
	return min(n, mostUnits)
}

// slack is how far apart the counters of two processors may be, or a reading and the one it is
// compared with: a millisecond.
func (r *counterRate) slack() uint64 { return max(r.units(int64(time.Millisecond)), 1000) }

// span returns about how many nanoseconds the counter takes for some units.
func (r *counterRate) span(units uint64) int64 {
	p := Segment{0, units, 0, r.rate}
	return p.At(units)
}
