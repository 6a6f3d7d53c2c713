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

// Files are locked while they are recorded into, so that no other recording removes them. The
// lock belongs to the open file: it ends with the process, however that ends, blocks no reader,
// and leaves nothing on disk. On systems without such locks there are none.

// ErrInUse: another recording goes to the files that [Config.Path] names, in this or another
// process. They are not changed.
var ErrInUse = errors.New("another recording goes to this file")

// own locks a newly created file for this recording. Since its creation, another Start with
// Overwrite may have taken it for an unused one.
func own(f *os.File) error {
	for range ownAttempts {
		busy := errors.Is(filelock.Lock(f), filelock.ErrLocked)
		if !keepsName(f) {
			return inUse(f.Name())
		}
		if !busy {
			return nil
		}
		time.Sleep(ownPause) // another is checking whether it is locked, or about to remove it
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

// inUse returns the error for a file that another recording goes to.
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

// locked reports whether a recording goes to the file at path.
func locked(path string) bool {
	f, err := claim(path)
	if f != nil {
		_ = f.Close()
	}
	return errors.Is(err, ErrInUse)
}

// errUnclaimed is the error for an existing file that cannot be locked.
var errUnclaimed = errors.New("it cannot be locked")

// claim locks the file at path until it is closed. Errors: fs.ErrNotExist, ErrInUse if a
// recording goes to it, errUnclaimed.
func claim(path string) (*os.File, error) {
	for {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, errUnclaimed // also, opening it may block
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
		// Meanwhile another file has taken its place.
	}
}

// claimSoon is claim, but waits for a process that finishes a recording or looks at it: that
// takes only a moment.
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

// pauseForOther gives another process a moment; tests replace it.
var pauseForOther = func() { time.Sleep(ownPause) }

// removeAll removes the data file of a trace and the files beside it, the data last, unless a
// recording goes to it. If there is no data file, the others may belong to a recording that is
// about to create it: they are kept.
func removeAll(data string, beside ...string) error {
	claimed, err := claimSoon(data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, errUnclaimed): // removed all the same
	case err != nil:
		return err
	case runtime.GOOS == "windows":
		_ = claimed.Close() // open files cannot be removed there, not even by others
	default:
		defer claimed.Close()
	}
	return remove(append(beside, data))
}

// remove removes files that may exist.
func remove(names []string) error {
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
