package producer

import (
	"time"

	"golang.org/x/sys/unix"
)

// BootTime returns the nanoseconds since the machine was started, sleep included:
// the clock of packet timestamps. now is for systems without that clock.
func BootTime(now time.Time) uint64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return uint64(now.UnixNano())
	}
	return uint64(t.Nano())
}
