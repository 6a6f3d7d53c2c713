package recorder

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// The line of a clock rises, stays near the monotonic clock, and does not change
// where it was asked for before, whoever asks in whatever order.
func TestClock(t *testing.T) {
	for _, plain := range []bool{false, true} {
		var c clock
		c.begin(plain, nil)
		type moment struct {
			before, after time.Duration
			reading       uint64
			ns            int64
		}
		moments := make([]moment, 3000)
		var group sync.WaitGroup
		for g := range 3 {
			group.Go(func() {
				var line piece
				for i := g; i < len(moments); i += 3 {
					m := &moments[i]
					m.before = time.Since(c.base)
					m.reading = c.read()
					m.after = time.Since(c.base)
					if rand.IntN(2) == 0 || !line.has(m.reading) {
						line = c.around(m.reading)
					}
					m.ns = line.at(m.reading)
					until(time.Now().Add(20 * time.Microsecond))
				}
			})
		}
		group.Wait()
		for i, m := range moments {
			line := c.around(m.reading)
			if again := line.at(m.reading); again != m.ns {
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
		if piece := c.around(0); c.counter && piece.at(0) != c.points[0].ns {
			t.Errorf("before its begin, the clock is at %d", piece.at(0))
		}
	}
}

// A clock that was looked at often forgets some of it, and its line stays where
// it was.
func TestClockForgets(t *testing.T) {
	const rate = 3 // readings in a nanosecond
	c := clock{counter: true}
	for i := range int64(maxPoints + 1) {
		ns := i * 10_000_000
		c.points = append(c.points, instant{uint64(rate*ns + i%5), ns})
	}
	last := c.points[len(c.points)-1]
	thinned := clock{counter: true, points: append([]instant(nil), c.points...)}
	thinned.thin()
	if n := len(thinned.points); n > maxPoints*3/4 || thinned.points[0] != c.points[0] || thinned.points[n-1] != last {
		t.Fatalf("%d points from %v to %v", n, thinned.points[0], thinned.points[n-1])
	}
	for reading := uint64(0); reading < last.reading; reading += last.reading / 10_007 {
		was, is := c.around(reading), thinned.around(reading)
		if d := was.at(reading) - is.at(reading); d < -5 || d > 5 {
			t.Fatalf("reading %d was at %d ns and is at %d", reading, was.at(reading), is.at(reading))
		}
		if is := is.at(reading); is < int64(reading/rate)-5 || is > int64(reading/rate)+5 {
			t.Fatalf("reading %d is at %d ns", reading, is)
		}
	}
}

// Long pieces are as exact as short ones, and a counter that goes wrong makes
// times wrong, but not absurd.
func TestPieces(t *testing.T) {
	const year = int64(365 * 24 * time.Hour)
	for _, units := range []uint64{1, 1000, 1 << 40, 3 * uint64(year)} {
		a, b := instant{17, 5}, instant{17 + units, 5 + year}
		p := piece{a.reading, b.reading, a.ns, rate(a, b)}
		if units < 1<<30 { // more than 4 seconds a unit
			if p.rate != 0 {
				t.Errorf("%d units in a year: rate %d", units, p.rate)
			}
			continue
		}
		if end := p.at(b.reading); end > b.ns || end < b.ns-int64(units>>31) {
			t.Errorf("%d units in a year: the end is at %d, want %d", units, end, b.ns)
		}
		if !p.has(a.reading) || p.has(b.reading) || p.has(a.reading-1) {
			t.Errorf("%d units: the piece is somewhere else", units)
		}
	}
	if rate(instant{0, 7}, instant{5, 3}) != 0 {
		t.Error("a line that falls")
	}
}
