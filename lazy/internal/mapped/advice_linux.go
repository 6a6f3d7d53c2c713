package mapped

import (
	"errors"

	"golang.org/x/sys/unix"
)

// populate loads mapped pages into memory. The first must begin at b's start.
func populate(b []byte) error {
	err := unix.Madvise(b, unix.MADV_POPULATE_READ)
	if errors.Is(err, unix.EINVAL) { // Linux before 5.14
		err = unix.Madvise(b, unix.MADV_WILLNEED)
	}
	return err
}

// leave removes mapped pages from this process's memory, but not from the system's
// cache. The first must begin at b's start.
func leave(b []byte) error { return unix.Madvise(b, unix.MADV_DONTNEED) }
