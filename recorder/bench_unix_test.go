//go:build unix

package recorder

import (
	"syscall"
	"time"
)

// processorTime is how long the processors have worked for this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
