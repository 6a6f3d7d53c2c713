package dataset

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the lock of a file, which ends when the file is closed or the process ends. It fails at once: with
// errLocked if another has it.
func lock(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	fault := raw.Control(func(fd uintptr) {
		err = windows.LockFileEx(windows.Handle(fd), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	})
	switch {
	case fault != nil:
		return fault
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return errLocked
	}
	return err
}
