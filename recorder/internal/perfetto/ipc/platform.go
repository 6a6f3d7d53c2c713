//go:build !js && !wasip1 && !plan9 && !aix

package ipc

import (
	"errors"
	"syscall"
)

// supported says that programs of this platform can reach a service.
const supported = true

// longestPath is how many bytes the path of a socket may have.
const longestPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// refused reports whether err says that no process listens at an existing socket.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
