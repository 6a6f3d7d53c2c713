//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package dataset

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the lock of a file, which ends when the file is closed or the process ends. It fails at once: with
// errLocked if another has it, with errors.ErrUnsupported if there are no such locks.
func lock(f *os.File) error {
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
		return errLocked
	}
	return err
}
