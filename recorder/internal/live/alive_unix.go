//go:build unix

package live

import (
	"errors"
	"syscall"
)

// alive reports whether there may be a process with an id.
func alive(pid int) bool {
	return pid <= 0 || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
