//go:build unix

package live

import (
	"errors"
	"syscall"
)

// alive reports whether a process with this id may exist.
func alive(pid int) bool {
	return pid <= 0 || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
