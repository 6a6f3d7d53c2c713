//go:build unix

package ui

import (
	"os"

	"golang.org/x/sys/unix"
)

// canSuspend reports whether there is a shell that controls this program: its
// parent is of the same session. In an orphaned process group the signal to
// stop does nothing, and the program would wait for ever to be continued.
func canSuspend() bool {
	own, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	parent, err := unix.Getsid(os.Getppid())
	return err == nil && own == parent
}
