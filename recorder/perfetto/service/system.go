package service

import (
	"os"
	"regexp"
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

// trigger is one that a producer sent and a session waited for.
type trigger struct {
	at       uint64 // boot time, ns
	name     string
	producer string
	uid      int32
	delay    time.Duration
}

func (t *trigger) message() *messages.Trigger {
	return &messages.Trigger{
		TriggerName: proto.String(t.name), ProducerName: proto.String(t.producer),
		TrustedProducerUid: proto.Int32(t.uid), StopDelayMs: proto.Uint64(uint64(t.delay / time.Millisecond)),
	}
}

// triggers are the triggers that a session waits for and those that have arrived.
// The service's lock guards them.
type triggers struct {
	config  *messages.TraceConfig_TriggerConfig
	arrived []trigger
	read    int      // of these
	cloned  *trigger // the trigger that asked for this clone, not yet read; nil if none
}

func (t *triggers) mode() messages.TraceConfig_TriggerConfig_TriggerMode {
	return triggerMode(t.config)
}

func triggerMode(t *messages.TraceConfig_TriggerConfig) messages.TraceConfig_TriggerConfig_TriggerMode {
	mode := t.GetTriggerMode()
	if mode == messages.TraceConfig_TriggerConfig_STOP_TRACING && t.GetUseCloneSnapshotIfAvailable() {
		return messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT
	}
	return mode
}

// wait reports whether a session must not be read: no trigger has arrived, or only
// its clones are read.
func (t *triggers) wait() bool {
	return len(t.config.GetTriggers()) > 0 && len(t.arrived) == 0 ||
		t.mode() == messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT
}

// wanted returns the config of a producer's trigger, or nil if it is not wanted. If
// several have the name, the first counts.
func (t *triggers) wanted(name, producer string) *messages.TraceConfig_TriggerConfig_Trigger {
	for _, of := range t.config.GetTriggers() {
		if of.GetName() == name {
			if pattern := of.GetProducerNameRegex(); pattern != "" && !matches(pattern, producer) {
				return nil
			}
			return of
		}
	}
	return nil
}

// packets returns the packets of triggers that have not been read.
func (t *triggers) packets() (list []*messages.TracePacket) {
	if t.cloned != nil {
		list = append(list, &messages.TracePacket{
			Timestamp: proto.Uint64(t.cloned.at),
			Data:      &messages.TracePacket_CloneSnapshotTrigger{CloneSnapshotTrigger: t.cloned.message()},
		})
		t.cloned = nil
	}
	for ; t.read < len(t.arrived); t.read++ {
		of := &t.arrived[t.read]
		list = append(list, &messages.TracePacket{
			Timestamp: proto.Uint64(of.at), Data: &messages.TracePacket_Trigger{Trigger: of.message()},
		})
	}
	return list
}

// clone returns the triggers of a clone: those that arrived are in its trace.
func (t *triggers) clone() triggers { return triggers{config: t.config, arrived: t.arrived} }

// forget drops the triggers that arrived.
func (t *triggers) forget() { t.arrived, t.read = nil, 0 }

// matches reports whether a pattern of a config matches a whole name.
func matches(pattern, name string) bool {
	if len(pattern) > 1000 {
		return false
	}
	re, err := regexp.CompilePOSIX("^(" + pattern + ")$")
	return err == nil && re.MatchString(name)
}
