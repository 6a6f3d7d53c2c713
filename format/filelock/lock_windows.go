package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockAt is the byte that is locked, far after the end of any trace: on Windows others cannot
// read a locked byte.
const lockAt = 1 << 62

// Lock takes the lock of an open file, or fails at once: with [ErrLocked] if another holds it,
// with errors.ErrUnsupported if there is no such lock.
func Lock(f *os.File) error { return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// Share takes a lock that others may have too, but not together with that of [Lock]. It fails as
// Lock does.
func Share(f *os.File) error { return lock(f, 0) }

func lock(f *os.File, how uint32) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	fault := raw.Control(func(fd uintptr) {
		at := windows.Overlapped{OffsetHigh: lockAt >> 32}
		err = windows.LockFileEx(windows.Handle(fd), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	})
	switch {
	case fault != nil:
		return fault
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return ErrLocked
	}
	return err
}
