//go:build !js && !wasip1 && !plan9 && !aix

package ipc

import (
	"errors"
	"syscall"
)

// supported means that programs of this platform can reach a service.
const supported = true

// longestPath is the maximum length of a socket's path in bytes.
const longestPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// refused reports whether err means that no process listens at an existing socket.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
