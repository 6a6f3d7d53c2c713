package recorder

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"tracex/format/formattest"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/clock/clocktest"
	"tracex/recorder/internal/tracetest"
)

// sleeps are what can happen to a machine, and so to its counter and its clock.
var sleeps = []struct {
	name string
	do   func(f *clocktest.TimeSource)
}{
	{"nothing", func(*clocktest.TimeSource) {}},
	{"the counter runs on", func(f *clocktest.TimeSource) { f.Reading += f.Rate * uint64(5*time.Hour) }},
	{"the clock runs on", func(f *clocktest.TimeSource) { f.Elapsed += int64(5 * time.Hour) }},
	{"both run on", func(f *clocktest.TimeSource) {
		f.Elapsed += int64(5 * time.Hour)
		f.Reading += f.Rate * uint64(5*time.Hour)
	}},
	{"the counter begins with zero", func(f *clocktest.TimeSource) { f.Reading = 0 }},
	{"the counter begins with zero after hours", func(f *clocktest.TimeSource) { f.Reading, f.Elapsed = 0, f.Elapsed+int64(5*time.Hour) }},
	{"the counter goes a second back", func(f *clocktest.TimeSource) { f.Reading -= f.Rate * uint64(time.Second) }},
	{"the counter goes a bit back", func(f *clocktest.TimeSource) { f.Reading -= f.Rate * uint64(100*time.Microsecond) }},
	{"the counter goes below zero", func(f *clocktest.TimeSource) { f.Reading = -f.Reading }},
	{"the counter is faster", func(f *clocktest.TimeSource) { f.Rate *= 3 }},
	{"the counter is slower", func(f *clocktest.TimeSource) { f.Rate /= 3 }},
	{"the counter is slower, and begins again", func(f *clocktest.TimeSource) { f.Rate, f.Reading = f.Rate/3, 77 }},
}

// sleeper records calls while a fake clock runs, and notes when they were.
type sleeper struct {
	f       *clocktest.TimeSource
	r       *Recorder
	m       Method
	begun   map[int32]int64 // by event
	ended   map[int32]int64
	between time.Duration // between looks without another reason
	due     int64
	slept   [][2]int64 // start and end on the clock
}

// call records a call that takes some time.
func (s *sleeper) call(t *Thread, took time.Duration) {
	t.Enter(s.m, 0, Null(), Int(len(s.begun)))
	event := int32(t.next - 1)
	s.begun[event] = s.f.Elapsed
	s.pass(took)
	t.Exit(Void())
	s.ended[event] = s.f.Elapsed
}

// pass lets time pass, and makes the recorder look at the clock as its goroutine does.
func (s *sleeper) pass(d time.Duration) {
	s.f.Pass(d)
	if s.f.Elapsed < s.due {
		return
	}
	s.due = s.f.Elapsed + int64(s.between)
	if s.r.config.Strategy == CollectAndDump {
		s.r.clock.Refresh()
	} else {
		s.r.sweep(byTimer)
	}
}

// check compares the times in the files with those of the calls.
func (s *sleeper) check(t *testing.T, path string, near time.Duration) {
	t.Helper()
	tracetest.CheckTimes(t, path, true)
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

// close reports whether a moment is near its expected one. Between the looks around a sleep it
// may be on the other side of the sleep.
func (s *sleeper) close(is time.Duration, want int64, near time.Duration) bool {
	from, to := want, want
	for _, sleep := range s.slept {
		if want >= sleep[0]-int64(near) && want <= sleep[1]+int64(near) {
			from, to = min(from, sleep[0]), max(to, sleep[1])
		}
	}
	return int64(is) >= from-int64(near) && int64(is) <= to+int64(near)
}

// Whatever sleep or migration of a machine does to the counter, no time is wrong by more than
// the interval between two looks at the clock, on busy and on idle threads.
func TestSleep(t *testing.T) {
	const between = 50 * time.Millisecond
	for _, base := range []Config{{}, {OnFull: Drop}, {Strategy: CollectAndDump}, {Strategy: CollectAndDump, BlockSize: 1 << 10}} {
		for _, first := range []time.Duration{time.Hour, time.Millisecond} {
			if first < time.Hour && !formattest.Exhaustive() {
				continue
			}
			for _, sleep := range sleeps {
				name := base.Strategy.String() + "/" + base.OnFull.String() + "/" + fmt.Sprint(base.BlockSize) + "/" + first.String() + "/" + sleep.name
				t.Run(name, func(t *testing.T) {
					c := base
					c.Path, c.FlushInterval = filepath.Join(t.TempDir(), "trace.bin"), -1
					f := &clocktest.TimeSource{Rate: 27, Reading: 27 * uint64(first)}
					c.timeSource = f
					s := &sleeper{f: f, r: start(t, c), begun: map[int32]int64{}, ended: map[int32]int64{}, between: between}
					if c.BlockSize > 0 {
						s.due = math.MaxInt64 // only getting a buffer causes a look
					}
					s.m = s.r.Method(s.r.Class("C"), "m", Type{})
					busy, idle, open := s.r.Thread("busy"), s.r.Thread("idle"), s.r.Thread("open")
					open.Enter(s.m, 0, Null())
					s.begun[int32(open.next-1)] = f.Elapsed
					for i := range 3000 {
						s.call(busy, 700*time.Microsecond)
						s.pass(300 * time.Microsecond)
						if i%400 == 100 {
							s.call(idle, 2*time.Millisecond)
						}
						if i%1000 == 503 {
							from := f.Elapsed
							sleep.do(f)
							s.slept = append(s.slept, [2]int64{from, f.Elapsed})
						}
					}
					open.Exit(Void())
					s.ended[int32(open.next-1)] = f.Elapsed
					busy.Enter(s.m, 0, Null()) // until the end
					s.begun[int32(busy.next-1)] = f.Elapsed
					s.pass(time.Millisecond)
					s.ended[int32(busy.next-1)] = f.Elapsed
					if err := s.r.Stop(); err != nil {
						t.Fatal(err)
					}
					s.check(t, c.Path, between+2*time.Duration(clock.Horizon))
				})
			}
		}
	}
}

// A collect-and-dump recorder looks at the clock while it records, even if no goroutine gets a
// buffer.
func TestDumpLooks(t *testing.T) {
	f := &clocktest.TimeSource{Rate: 3}
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), Strategy: CollectAndDump, FlushInterval: time.Millisecond, timeSource: f}
	r := start(t, c)
	th := r.Thread("main")
	m := r.Method(r.Class("C"), "m", Type{})
	want := map[int32]int64{}
	pass := func() {
		f.Pass(20 * time.Millisecond)
		for looked := int64(-1); looked != f.NS(); runtime.Gosched() {
			looked = r.clock.Latest()
		}
	}
	for i := range 5 {
		th.Enter(m, 0, Null())
		want[int32(th.next-1)] = f.NS()
		th.Exit(Void())
		pass()
		if i == 0 { // the machine sleeps
			f.Mu.Lock()
			f.Reading += 3 * uint64(time.Hour)
			f.Mu.Unlock()
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
	tracetest.CheckTimes(t, r.config.Path, true)
}
