//go:build unix && !aix && !solaris

package live

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file for the process. A file system that knows no locks is taken as
// it is.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrInUse
	case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOSYS):
		return nil
	}
	return err
}
