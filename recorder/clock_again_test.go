package recorder

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// fakeSource is a counter and a clock that stand still until a test moves them.
type fakeSource struct {
	mu      sync.Mutex
	reading uint64
	elapsed int64 // ns
	rate    uint64
}

func (f *fakeSource) counter() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reading
}

func (f *fakeSource) ns() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.elapsed
}

// pass moves both.
func (f *fakeSource) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reading += f.rate * uint64(d)
	f.elapsed += int64(d)
}

// sleeps are what may happen to a machine, and so to its counter and its clock.
var sleeps = []struct {
	name string
	do   func(f *fakeSource)
}{
	{"nothing", func(*fakeSource) {}},
	{"the counter runs on", func(f *fakeSource) { f.reading += f.rate * uint64(5*time.Hour) }},
	{"the clock runs on", func(f *fakeSource) { f.elapsed += int64(5 * time.Hour) }},
	{"both run on", func(f *fakeSource) {
		f.elapsed += int64(5 * time.Hour)
		f.reading += f.rate * uint64(5*time.Hour)
	}},
	{"the counter begins with zero", func(f *fakeSource) { f.reading = 0 }},
	{"the counter begins with zero after hours", func(f *fakeSource) { f.reading, f.elapsed = 0, f.elapsed+int64(5*time.Hour) }},
	{"the counter goes a second back", func(f *fakeSource) { f.reading -= f.rate * uint64(time.Second) }},
	{"the counter goes a bit back", func(f *fakeSource) { f.reading -= f.rate * uint64(100*time.Microsecond) }},
	{"the counter goes below zero", func(f *fakeSource) { f.reading = -f.reading }},
	{"the counter is faster", func(f *fakeSource) { f.rate *= 3 }},
	{"the counter is slower", func(f *fakeSource) { f.rate /= 3 }},
	{"the counter is slower, and begins again", func(f *fakeSource) { f.rate, f.reading = f.rate/3, 77 }},
}

// sleeper records calls while a fake clock goes its way, and remembers when they
// were.
type sleeper struct {
	f       *fakeSource
	r       *Recorder
	m       Method
	begun   map[int32]int64 // by event
	ended   map[int32]int64
	between time.Duration // two looks that nothing else gives occasion for
	due     int64
	slept   [][2]int64 // from when to when on the clock
}

// call records a call that takes some time.
func (s *sleeper) call(t *Thread, took time.Duration) {
	t.Enter(s.m, 0, Null(), Int(len(s.begun)))
	event := int32(t.next - 1)
	s.begun[event] = s.f.elapsed
	s.pass(took)
	t.Exit(Void())
	s.ended[event] = s.f.elapsed
}

// pass lets time pass, and the recorder look at it as its goroutine does.
func (s *sleeper) pass(d time.Duration) {
	s.f.pass(d)
	if s.f.elapsed < s.due {
		return
	}
	s.due = s.f.elapsed + int64(s.between)
	if s.r.config.Strategy == CollectAndDump {
		s.r.clock.refresh()
	} else {
		s.r.sweep(byTimer)
	}
}

// check compares the times in the files with what the calls had.
func (s *sleeper) check(t *testing.T, path string, near time.Duration) {
	t.Helper()
	checkTimes(t, path, true)
	found := 0
	for _, c := range containerTimes(t, path) {
		begun, ok := s.begun[c.ID]
		if !ok {
			t.Fatalf("event %d was not recorded", c.ID)
		}
		found++
		if ended := s.ended[c.ID]; !s.close(c.begin(), begun, near) || !s.close(c.end(), ended, near) {
			t.Fatalf("event %d lasts from %v to %v, want %v to %v", c.ID, c.begin(), c.end(), time.Duration(begun), time.Duration(ended))
		}
	}
	if found != len(s.begun) {
		t.Fatalf("%d times, want %d", found, len(s.begun))
	}
}

// close reports whether a moment is near what it should be. Between the looks
// around a sleep it may be on its other side.
func (s *sleeper) close(is time.Duration, want int64, near time.Duration) bool {
	from, to := want, want
	for _, sleep := range s.slept {
		if want >= sleep[0]-int64(near) && want <= sleep[1]+int64(near) {
			from, to = min(from, sleep[0]), max(to, sleep[1])
		}
	}
	return int64(is) >= from-int64(near) && int64(is) <= to+int64(near)
}

// Whatever a machine's sleep or a move to another machine does to the counter, no
// time is wrong by more than lies between two looks at the clock, on threads that
// are busy and on those that are not.
func TestSleep(t *testing.T) {
	const between = 50 * time.Millisecond
	for _, base := range []Config{{}, {Full: Drop}, {Strategy: CollectAndDump}, {Strategy: CollectAndDump, BlockSize: 1 << 10}} {
		for _, first := range []time.Duration{time.Millisecond, time.Hour} {
			for _, sleep := range sleeps {
				name := base.Strategy.String() + "/" + base.Full.String() + "/" + fmt.Sprint(base.BlockSize) + "/" + first.String() + "/" + sleep.name
				t.Run(name, func(t *testing.T) {
					c := base
					c.Path, c.FlushInterval = filepath.Join(t.TempDir(), "trace.bin"), -1
					f := &fakeSource{rate: 27, reading: 27 * uint64(first)}
					c.source = f
					s := &sleeper{f: f, r: start(t, c), begun: map[int32]int64{}, ended: map[int32]int64{}, between: between}
					if c.BlockSize > 0 {
						s.due = math.MaxInt64 // who takes a buffer looks, and nobody else
					}
					s.m = s.r.Method(s.r.Class("C"), "m", Type{})
					busy, idle, open := s.r.Thread("busy"), s.r.Thread("idle"), s.r.Thread("open")
					open.Enter(s.m, 0, Null())
					s.begun[int32(open.next-1)] = f.elapsed
					for i := range 3000 {
						s.call(busy, 700*time.Microsecond)
						s.pass(300 * time.Microsecond)
						if i%400 == 100 {
							s.call(idle, 2*time.Millisecond)
						}
						if i%1000 == 503 {
							from := f.elapsed
							sleep.do(f)
							s.slept = append(s.slept, [2]int64{from, f.elapsed})
						}
					}
					open.Exit(Void())
					s.ended[int32(open.next-1)] = f.elapsed
					busy.Enter(s.m, 0, Null()) // until the end
					s.begun[int32(busy.next-1)] = f.elapsed
					s.pass(time.Millisecond)
					s.ended[int32(busy.next-1)] = f.elapsed
					if err := s.r.Stop(); err != nil {
						t.Fatal(err)
					}
					s.check(t, c.Path, between+2*time.Duration(horizon))
				})
			}
		}
	}
}

// A clock that is stopped and begins again for ever stays as small as it is, and
// says what can be.
func TestClockFallsOften(t *testing.T) {
	f := &fakeSource{rate: 1}
	var c clock
	c.begin(false, f)
	last := int64(0)
	behind := uint64(0)
	for i := range 10 * maxPoints {
		f.pass(time.Duration(11+i%7) * time.Millisecond)
		if i%2 == 0 {
			f.reading = uint64(i % 13)
		}
		marks := []mark{{reading: f.reading}}
		c.notice()
		behind = c.settle(marks, 0, []turn{{0, c.again.Load()}}, behind)
		p := c.around(behind)
		ns := p.at(behind)
		if ns < last || ns > f.elapsed+int64(horizon) || ns < f.elapsed-int64(20*time.Millisecond) {
			t.Fatalf("step %d: it is %d, %d before, the clock says %d", i, ns, last, f.elapsed)
		}
		last = ns
	}
	if len(c.points) > maxPoints+4 || len(c.eras) > maxEras {
		t.Errorf("%d points, %d eras", len(c.points), len(c.eras))
	}
	if c.again.Load() < 5*maxPoints-1 {
		t.Errorf("the counter began again %d times", c.again.Load())
	}
}

// However often the counter's rate changes, the line stays where the clock is.
func TestClockKeepsUp(t *testing.T) {
	f := &fakeSource{rate: 1}
	var c clock
	c.begin(false, f)
	behind := uint64(0)
	for i := range 5000 {
		f.rate = uint64(1 + i/3%2*9)
		f.pass(time.Duration(horizon * 3 / 4))
		c.refresh()
		at := []mark{{reading: f.reading}}
		behind = c.settle(at, 0, nil, behind)
		p := c.around(behind)
		if d := p.at(behind) - f.elapsed; d < -2*horizon || d > horizon {
			t.Fatalf("look %d: the line is %v from the clock", i, time.Duration(d))
		}
	}
}

// Where the clock runs on while the counter stands, what comes behind a look is
// not taken for what was expected before.
func TestClockJumps(t *testing.T) {
	f := &fakeSource{rate: 3, reading: 1000}
	var c clock
	c.begin(false, f)
	behind := f.reading
	for i := range 3 * maxEras {
		f.pass(20 * time.Millisecond)
		c.refresh()
		before := []mark{{reading: f.reading}}
		ns := f.elapsed
		f.elapsed += int64(time.Hour)
		c.refresh()
		f.pass(time.Millisecond)
		after := []mark{{reading: f.reading}}
		behind = c.settle(before, 0, nil, behind)
		behind = c.settle(after, 0, nil, behind)
		for k, want := range []int64{ns, f.elapsed} {
			reading := []uint64{before[0].reading, after[0].reading}[k]
			p := c.around(reading)
			if d := p.at(reading) - want; d < -horizon || d > horizon {
				t.Fatalf("hour %d: %v, want %v", i, time.Duration(p.at(reading)), time.Duration(want))
			}
		}
	}
}

// A collect-and-dump recorder looks at the clock while it records, if nobody takes
// a buffer.
func TestDumpLooks(t *testing.T) {
	f := &fakeSource{rate: 3}
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), Strategy: CollectAndDump, FlushInterval: time.Millisecond, source: f}
	r := start(t, c)
	th := r.Thread("main")
	m := r.Method(r.Class("C"), "m", Type{})
	want := map[int32]int64{}
	pass := func() {
		f.pass(20 * time.Millisecond)
		for looked := int64(-1); looked != f.ns(); runtime.Gosched() {
			r.clock.mu.Lock()
			looked = r.clock.looked.ns
			r.clock.mu.Unlock()
		}
	}
	for i := range 5 {
		th.Enter(m, 0, Null())
		want[int32(th.next-1)] = f.ns()
		th.Exit(Void())
		pass()
		if i == 0 { // the machine sleeps
			f.mu.Lock()
			f.reading += 3 * uint64(time.Hour)
			f.mu.Unlock()
		}
		pass()
	}
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, c := range containerTimes(t, r.config.Path) {
		if d := c.begin() - time.Duration(want[c.ID]); d.Abs() > 20*time.Millisecond {
			t.Errorf("event %d is at %v, want %v", c.ID, c.TimeCell, time.Duration(want[c.ID]))
		}
	}
	checkTimes(t, r.config.Path, true)
}
