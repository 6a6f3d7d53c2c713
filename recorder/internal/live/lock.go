package live

import (
	"errors"
	"os"
	"time"

	"tracex/recorder/internal/filelock"
)

// lock locks a file for the process. Systems without locks have no live files: it would be
// unknown whether the program that records has ended.
func lock(f *os.File) error {
	err := filelock.Lock(f)
	if errors.Is(err, filelock.ErrLocked) {
		return ErrInUse
	}
	return err
}

// lockNew locks a file that was just created. Before that, a [Look] may hold its lock for a
// moment.
func lockNew(f *os.File) (err error) {
	for range lockAttempts {
		if err = lock(f); !errors.Is(err, ErrInUse) {
			return err
		}
		pauseForOther()
	}
	return err
}

const lockAttempts = 100

// pauseForOther gives another process a moment; tests replace it.
var pauseForOther = func() { time.Sleep(time.Millisecond) }
