//go:build !linux

package service

import (
	"runtime"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

var booted = time.Now()

// readClocks reads the two clocks that every system has. The boot time counts from
// the start of this process.
func readClocks() *messages.ClockSnapshot {
	now := time.Now()
	clock := func(id messages.BuiltinClock, t int64) *messages.ClockSnapshot_Clock {
		return &messages.ClockSnapshot_Clock{ClockId: proto.Uint32(uint32(id)), Timestamp: proto.Uint64(uint64(t))}
	}
	return &messages.ClockSnapshot{Clocks: []*messages.ClockSnapshot_Clock{
		clock(messages.BuiltinClock_BUILTIN_CLOCK_BOOTTIME, int64(now.Sub(booted))),
		clock(messages.BuiltinClock_BUILTIN_CLOCK_REALTIME, now.UnixNano()),
		clock(messages.BuiltinClock_BUILTIN_CLOCK_MONOTONIC, int64(now.Sub(booted))),
	}}
}

func bootTime() uint64 { return uint64(time.Since(booted)) }

// systemInfo describes the machine.
func systemInfo() *messages.SystemInfo {
	info := commonSystemInfo()
	info.NumCpus = proto.Uint32(uint32(runtime.NumCPU()))
	return info
}

// afterAsleep is the same as after: the system does not tell how long it sleeps.
func (c systemClock) afterAsleep(d time.Duration, f func()) (stop func()) { return c.after(d, f) }
