package clock

import (
	"testing"
	"time"

	"tracex/recorder/internal/clock/clocktest"
)

// A clock whose counter keeps restarting does not grow without bound, and its times are
// possible.
func TestClockFallsOften(t *testing.T) {
	f := &clocktest.TimeSource{Rate: 1}
	var c Clock
	c.Begin(nil, f, nil)
	last := int64(0)
	rebased := uint64(0)
	for i := range 10 * maxPoints {
		f.Pass(time.Duration(11+i%7) * time.Millisecond)
		if i%2 == 0 {
			f.Reading = uint64(i % 13)
		}
		marks := []uint64{f.Reading}
		c.Notice()
		rebased = c.Rebase(marks, 0, []Restart{{0, c.restarts.Load()}}, rebased)
		p := c.Around(rebased)
		ns := p.At(rebased)
		if ns < last || ns > f.Elapsed+int64(Horizon) || ns < f.Elapsed-int64(20*time.Millisecond) {
			t.Fatalf("look %d: it is %d, %d before, the clock says %d", i, ns, last, f.Elapsed)
		}
		last = ns
	}
	if len(c.line.points) > maxPoints+4 || len(c.eras) > maxEras {
		t.Errorf("%d points, %d eras", len(c.line.points), len(c.eras))
	}
	if c.restarts.Load() < 5*maxPoints-1 {
		t.Errorf("the counter restarted %d times", c.restarts.Load())
	}
}

// However often the counter's rate changes, the line stays near the clock.
func TestClockKeepsUp(t *testing.T) {
	f := &clocktest.TimeSource{Rate: 1}
	var c Clock
	c.Begin(nil, f, nil)
	rebased := uint64(0)
	for i := range 5000 {
		f.Rate = uint64(1 + i/3%2*9)
		f.Pass(time.Duration(Horizon * 3 / 4))
		c.Refresh()
		at := []uint64{f.Reading}
		rebased = c.Rebase(at, 0, nil, rebased)
		p := c.Around(rebased)
		if d := p.At(rebased) - f.Elapsed; d < -2*Horizon || d > Horizon {
			t.Fatalf("look %d: the line is %v from the clock", i, time.Duration(d))
		}
	}
}

// If the clock runs while the counter stands still, readings after a look are not taken for
// those expected before.
func TestClockJumps(t *testing.T) {
	f := &clocktest.TimeSource{Rate: 3, Reading: 1000}
	var c Clock
	c.Begin(nil, f, nil)
	rebased := f.Reading
	for i := range 3 * maxEras {
		f.Pass(20 * time.Millisecond)
		c.Refresh()
		before := []uint64{f.Reading}
		ns := f.Elapsed
		f.Elapsed += int64(time.Hour)
		c.Refresh()
		f.Pass(time.Millisecond)
		after := []uint64{f.Reading}
		rebased = c.Rebase(before, 0, nil, rebased)
		rebased = c.Rebase(after, 0, nil, rebased)
		for k, want := range []int64{ns, f.Elapsed} {
			reading := []uint64{before[0], after[0]}[k]
			p := c.Around(reading)
			if d := p.At(reading) - want; d < -Horizon || d > Horizon {
				t.Fatalf("hour %d: %v, want %v", i, time.Duration(p.At(reading)), time.Duration(want))
			}
		}
	}
}

// A line of many points forgets some, and stays the same.
func TestLineForgets(t *testing.T) {
	const rate = 3 // readings in a nanosecond
	var full line
	for i := range int64(maxPoints + 1) {
		ns := i * 10_000_000
		full.points = append(full.points, instant{uint64(rate*ns + i%5), ns})
	}
	last := full.last()
	thinned := line{append([]instant(nil), full.points...)}
	thinned.thin()
	if n := len(thinned.points); n > maxPoints*3/4 || thinned.first() != full.first() || thinned.last() != last {
		t.Fatalf("%d points from %v to %v", n, thinned.first(), thinned.last())
	}
	for reading := uint64(0); reading < last.reading; reading += last.reading / 10_007 {
		was, is := full.segment(reading), thinned.segment(reading)
		if d := was.At(reading) - is.At(reading); d < -5 || d > 5 {
			t.Fatalf("reading %d was at %d ns and is at %d", reading, was.At(reading), is.At(reading))
		}
		if is := is.At(reading); is < int64(reading/rate)-5 || is > int64(reading/rate)+5 {
			t.Fatalf("reading %d is at %d ns", reading, is)
		}
	}
}

// Long segments are as exact as short ones, and a counter that goes wrong makes times wrong, but
// not absurd.
func TestSegments(t *testing.T) {
	const year = int64(365 * 24 * time.Hour)
	for _, units := range []uint64{1, 1000, 1 << 40, 3 * uint64(year)} {
		a, b := instant{17, 5}, instant{17 + units, 5 + year}
		p := Segment{a.reading, b.reading, a.ns, rate(a, b)}
		if units < 1<<30 { // more than 4 seconds a unit
			if p.rate != 0 {
				t.Errorf("%d units in a year: rate %d", units, p.rate)
			}
			continue
		}
		if end := p.At(b.reading); end > b.ns || end < b.ns-int64(units>>31) {
			t.Errorf("%d units in a year: the end is at %d, want %d", units, end, b.ns)
		}
		if !p.Has(a.reading) || p.Has(b.reading) || p.Has(a.reading-1) {
			t.Errorf("%d units: the segment is somewhere else", units)
		}
	}
	if rate(instant{0, 7}, instant{5, 3}) != 0 {
		t.Error("a line that falls")
	}
}
