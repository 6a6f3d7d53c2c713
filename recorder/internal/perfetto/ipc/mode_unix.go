//go:build unix

package ipc

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// ownerOnly sets the mode of a socket that is not bound yet. On Linux the file is
// created with that mode, so others cannot connect at any moment.
func ownerOnly(_, _ string, raw syscall.RawConn) error {
	return raw.Control(func(fd uintptr) { _ = unix.Fchmod(int(fd), 0o600) })
}
