//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock takes the lock of an open file, or fails at once: with [ErrLocked] if another holds it,
// with errors.ErrUnsupported if there is no such lock.
func Lock(f *os.File) error { return lock(f, unix.LOCK_EX) }

// Share takes a lock that others may have too, but not together with that of [Lock]. It fails as
// Lock does.
func Share(f *os.File) error { return lock(f, unix.LOCK_SH) }

func lock(f *os.File, how int) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	fault := raw.Control(func(fd uintptr) {
		for {
			err = unix.Flock(int(fd), how|unix.LOCK_NB)
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
