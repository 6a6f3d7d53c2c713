//go:build !linux

package producer

import "time"

// BootTime replaces a clock that this system does not have: any monotonic clock will
// do.
func BootTime(now time.Time) uint64 { return uint64(now.UnixNano()) }
