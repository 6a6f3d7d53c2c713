//go:build unix

package instrumented

import "syscall"

// errnoText returns the message of an error of the system.
func errnoText(n uint64) string { return syscall.Errno(n).Error() }
