package service

import (
	"os"
	"runtime/debug"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// timers are the timers of a session. The service's lock guards them; their
// callbacks run with it held.
type timers struct {
	clock   clock
	locked  func(func()) func() // makes a function that takes the lock
	stops   map[int]func()
	last    int
	stopped bool
}

func newTimers(c clock, locked func(func()) func()) timers {
	return timers{clock: c, locked: locked, stops: make(map[int]func())}
}

// kind tells which time a timer counts.
type kind bool

const (
	awake  kind = false // excludes the time that the machine sleeps
	asleep kind = true  // includes it, where the system can tell
)

// after calls f once d is over, unless the timers are stopped first.
func (t *timers) after(d time.Duration, k kind, f func()) {
	if t.stopped {
		return
	}
	t.last++
	id := t.last
	begin := t.clock.after
	if k == asleep {
		begin = t.clock.afterAsleep
	}
	t.stops[id] = begin(d, t.locked(func() {
		if !t.stopped {
			delete(t.stops, id)
			f()
		}
	}))
}

// every calls f periodically, until f returns false. The calls are at multiples of
// the period, by the wall clock. A period of 0 means never.
func (t *timers) every(period time.Duration, k kind, f func() (again bool)) {
	if period <= 0 {
		return
	}
	var next func()
	next = func() {
		t.after(period-time.Duration(t.clock.now().UnixNano())%period, k, func() {
			if f() {
				next()
			}
		})
	}
	next()
}

// stop stops all timers. No callback runs afterwards.
func (t *timers) stop() {
	t.stopped = true
	for id, stop := range t.stops {
		stop()
		delete(t.stops, id)
	}
}

// clock is a source of time; tests have their own.
type clock interface {
	now() time.Time
	// after calls f in its own goroutine once d is over, unless stop is called first.
	after(d time.Duration, f func()) (stop func())
	// afterAsleep is like after, but d includes the time that the machine sleeps, where
	// the system can tell.
	afterAsleep(d time.Duration, f func()) (stop func())
}

type systemClock struct{}

func (systemClock) now() time.Time { return time.Now() }

func (systemClock) after(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// machineName returns the machine's name from the environment, or else that of its
// system.
func machineName() string {
	if name, ok := os.LookupEnv(machineVariable); ok {
		return name
	}
	return systemInfo().GetUtsname().GetSysname()
}

// machineVariable names the machine for all of Perfetto's programs.
const machineVariable = "PERFETTO_MACHINE_NAME"

// commonSystemInfo describes the machine as far as every system can.
func commonSystemInfo() *messages.SystemInfo {
	_, offset := time.Now().Zone()
	return &messages.SystemInfo{
		TracingServiceVersion: proto.String(version()),
		PageSize:              proto.Uint32(uint32(os.Getpagesize())),
		TimezoneOffMins:       proto.Int32(int32(offset / 60)),
	}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return "tracex " + info.Main.Version
	}
	return "tracex"
}
