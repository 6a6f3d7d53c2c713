//go:build !linux

package service

import (
	"runtime"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto"
)

var booted = time.Now()

// readClocks reads the two clocks that every system has; the one of boot time
// counts from the start of this process on.
func readClocks() *perfetto.ClockSnapshot {
	now := time.Now()
	clock := func(id perfetto.BuiltinClock, t int64) *perfetto.ClockSnapshot_Clock {
		return &perfetto.ClockSnapshot_Clock{ClockId: proto.Uint32(uint32(id)), Timestamp: proto.Uint64(uint64(t))}
	}
	return &perfetto.ClockSnapshot{Clocks: []*perfetto.ClockSnapshot_Clock{
		clock(perfetto.BuiltinClock_BUILTIN_CLOCK_BOOTTIME, int64(now.Sub(booted))),
		clock(perfetto.BuiltinClock_BUILTIN_CLOCK_REALTIME, now.UnixNano()),
		clock(perfetto.BuiltinClock_BUILTIN_CLOCK_MONOTONIC, int64(now.Sub(booted))),
	}}
}

func bootTime() uint64 { return uint64(time.Since(booted)) }

// systemInfo describes the machine.
func systemInfo() *perfetto.SystemInfo {
	info := commonSystemInfo()
	info.NumCpus = proto.Uint32(uint32(runtime.NumCPU()))
	return info
}

// afterAsleep is after: the system does not tell how long it sleeps.
func (c systemClock) afterAsleep(d time.Duration, f func()) (stop func()) { return c.after(d, f) }
