package service

import (
	"math"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// clockIDs are the clocks of a snapshot, in order. Those that times of programs are on come first,
// next to each other.
var clockIDs = []struct {
	id     messages.BuiltinClock
	system int32
}{
	{messages.BuiltinClock_BUILTIN_CLOCK_BOOTTIME, unix.CLOCK_BOOTTIME},
	{messages.BuiltinClock_BUILTIN_CLOCK_MONOTONIC, unix.CLOCK_MONOTONIC},
	{messages.BuiltinClock_BUILTIN_CLOCK_REALTIME_COARSE, unix.CLOCK_REALTIME_COARSE},
	{messages.BuiltinClock_BUILTIN_CLOCK_MONOTONIC_COARSE, unix.CLOCK_MONOTONIC_COARSE},
	{messages.BuiltinClock_BUILTIN_CLOCK_REALTIME, unix.CLOCK_REALTIME},
	{messages.BuiltinClock_BUILTIN_CLOCK_MONOTONIC_RAW, unix.CLOCK_MONOTONIC_RAW},
}

// The clocks are read at most so many times, until that takes so little time.
const (
	readTries = 8
	readTook  = 2 * time.Microsecond
)

// readClocks reads all clocks, as close together as possible: if reading them was interrupted, it
// reads them again.
func readClocks() *messages.ClockSnapshot {
	var times, now [16]unix.Timespec
	shortest := time.Duration(math.MaxInt64)
	for n := 0; n < readTries && shortest > readTook; n++ {
		begun := time.Now()
		for i, c := range clockIDs {
			_ = unix.ClockGettime(c.system, &now[i]) // a clock that does not exist stays 0
		}
		if took := time.Since(begun); took < shortest {
			times, shortest = now, took
		}
	}
	list := make([]*messages.ClockSnapshot_Clock, len(clockIDs))
	for i, c := range clockIDs {
		list[i] = &messages.ClockSnapshot_Clock{
			ClockId: proto.Uint32(uint32(c.id)), Timestamp: proto.Uint64(uint64(times[i].Nano())),
		}
	}
	return &messages.ClockSnapshot{Clocks: list}
}

// bootTime returns the time since the machine started, in nanoseconds, sleep
// included.
func bootTime() uint64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return uint64(time.Now().UnixNano())
	}
	return uint64(t.Nano())
}

// afterAsleep uses a kernel timer. Where that is not possible, the time that the
// machine sleeps does not count.
func (c systemClock) afterAsleep(d time.Duration, f func()) (stop func()) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_BOOTTIME, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return c.after(d, f)
	}
	timer := os.NewFile(uintptr(fd), "timer")
	at := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(d, 1)))} // 0 would mean never
	if err := unix.TimerfdSettime(fd, 0, &at, nil); err != nil {
		_ = timer.Close() // nothing was written to it
		return c.after(d, f)
	}
	go func() {
		_, err := timer.Read(make([]byte, 8)) // the number of expirations
		_ = timer.Close()
		if err == nil {
			f()
		}
	}()
	return func() { _ = timer.Close() }
}

// systemInfo describes the machine.
func systemInfo() *messages.SystemInfo {
	info := commonSystemInfo()
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		info.Utsname = &messages.Utsname{
			Sysname: proto.String(unix.ByteSliceToString(name.Sysname[:])),
			Version: proto.String(unix.ByteSliceToString(name.Version[:])),
			Release: proto.String(unix.ByteSliceToString(name.Release[:])),
			Machine: proto.String(unix.ByteSliceToString(name.Machine[:])),
		}
	}
	var memory unix.Sysinfo_t
	if unix.Sysinfo(&memory) == nil {
		info.SystemRamBytes = proto.Uint64(uint64(memory.Totalram) * uint64(memory.Unit))
	}
	info.NumCpus = proto.Uint32(uint32(runtime.NumCPU()))
	return info
}
