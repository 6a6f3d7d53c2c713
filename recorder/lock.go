package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"tracex/recorder/internal/filelock"
	"tracex/recorder/internal/live"
)

// Files are locked while they are recorded into, so that no other recording
// removes them. The lock is the open file's: it ends with the process, however
// that ends, hinders no reader, and leaves nothing behind. Systems that have no
// such locks have none here.

// ErrInUse: another recording goes to the files that [Config.Path] names, be it
// this process's or another's. They stay as they are.
var ErrInUse = errors.New("another recording goes to this file")

// own makes a file that was just created this recording's. Between the two,
// another Start with Overwrite may have taken it for one that nobody uses.
func own(f *os.File) error {
	for range ownAttempts {
		busy := errors.Is(filelock.Lock(f), filelock.ErrLocked)
		if !keepsName(f) {
			return inUse(f.Name())
		}
		if !busy {
			return nil
		}
		time.Sleep(ownPause) // another looked whether it is locked, or is about to remove it
	}
	return inUse(f.Name())
}

const (
	ownAttempts = 100
	ownPause    = time.Millisecond
)

// keepsName reports whether an open file still has the name by which it was opened.
func keepsName(f *os.File) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(open, now)
}

// inUse is the error for a file that another recording goes to.
func inUse(path string) error {
	by := ""
	switch pid := holder(path); pid {
	case 0:
	case os.Getpid():
		by = ", that of this process"
	default:
		by = fmt.Sprintf(", that of process %d", pid)
	}
	return fmt.Errorf("%s: %w%s: choose another path, such as one with %%p, the process's id", path, ErrInUse, by)
}

// locked reports whether a recording goes to the file of a name.
func locked(path string) bool {
	f, err := claim(path)
	if f != nil {
		_ = f.Close()
	}
	return errors.Is(err, ErrInUse)
}

// errUnclaimed says that a file is there that cannot be locked.
var errUnclaimed = errors.New("it cannot be locked")

// claim locks the file of a name, until it is closed. Errors: fs.ErrNotExist,
// ErrInUse if a recording goes to it, errUnclaimed.
func claim(path string) (*os.File, error) {
	for {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, errUnclaimed // and opening it may block
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrPermission) {
			f, err = os.Open(path)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, err
		case err != nil:
			return nil, errUnclaimed
		}
		err = filelock.Lock(f)
		if err == nil && keepsName(f) {
			return f, nil
		}
		_ = f.Close()
		switch {
		case errors.Is(err, filelock.ErrLocked):
			return nil, inUse(path)
		case err != nil:
			return nil, errUnclaimed
		}
		// Another has taken its place meanwhile.
	}
}

// claimSoon is claim where a process that finishes a recording, or just looks at it,
// is waited for: it needs no more than a moment.
func claimSoon(path string) (f *os.File, err error) {
	for range ownAttempts {
		f, err = claim(path)
		if !errors.Is(err, ErrInUse) || errors.Is(live.Look(path+LiveSuffix), ErrRecording) {
			return f, err
		}
		pauseForOther()
	}
	return f, err
}

// pauseForOther gives another process a moment; tests have their own.
var pauseForOther = func() { time.Sleep(ownPause) }

// removeAll removes the data file of a trace and what is beside it, the data last,
// unless a recording goes to it. What is beside no data may be another's that is
// about to make it: that stays.
func removeAll(data string, beside ...string) error {
	claimed, err := claimSoon(data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, errUnclaimed): // then it is removed all the same
	case err != nil:
		return err
	case runtime.GOOS == "windows":
		_ = claimed.Close() // what is open cannot be removed there, by others neither
	default:
		defer claimed.Close()
	}
	return remove(append(beside, data))
}

// remove removes files that may be there.
func remove(names []string) error {
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
