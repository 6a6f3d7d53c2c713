package live

import (
	"errors"
	"os"

	"tracex/recorder/internal/filelock"
)

// lock locks a file for the process. Where there are no locks there are no live
// files: it could not be told whether the program that records has ended.
func lock(f *os.File) error {
	err := filelock.Lock(f)
	if errors.Is(err, filelock.ErrLocked) {
		return ErrInUse
	}
	return err
}
