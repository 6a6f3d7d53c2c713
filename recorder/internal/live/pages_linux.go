package live

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate makes sure that the disk has room for a range of a file.
func allocate(f *os.File, from, size int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), 0, from, size)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return fill(f, from, size)
		}
		return err
	}
}

// noReadAhead makes the pages of a mapping load one by one. Otherwise the first store into a new
// file makes the system read ahead the zeros that follow it: a MiB in a millisecond, in the
// middle of the call that is recorded.
func noReadAhead(mem []byte) {
	_ = unix.Madvise(mem, unix.MADV_RANDOM) // otherwise it takes longer
}
