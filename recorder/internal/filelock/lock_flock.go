//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock takes the lock of an open file, or fails at once: with [ErrLocked] if another holds it,
// with errors.ErrUnsupported if there is no such lock.
func Lock(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	fault := raw.Control(func(fd uintptr) {
		for {
			err = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB)
			if !errors.Is(err, unix.EINTR) {
				return
			}
		}
	})
	switch {
	case fault != nil:
		return fault
	case errors.Is(err, unix.EWOULDBLOCK):
		return ErrLocked
	}
	return err
}
