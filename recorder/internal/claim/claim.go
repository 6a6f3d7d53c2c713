// Package claim locks the files of a trace while they are recorded into, so that no other recording
// removes them. The lock belongs to the open file: it ends with the process, however that ends,
// blocks no reader, and leaves nothing on disk. On systems without such locks there are none.
package claim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"tracex/format"
	"tracex/format/filelock"
	"tracex/recorder/internal/live"
)

// ErrInUse: another recording goes to the files that a config names, in this or another
// process. They are not changed.
var ErrInUse = errors.New("another recording goes to this file")

// New locks a newly created file for this recording. Since its creation, another Start with
// Overwrite may have taken it for an unused one.
func New(f *os.File) error {
	for range attempts {
		busy := errors.Is(filelock.Lock(f), filelock.ErrLocked)
		if !keepsName(f) {
			return InUse(f.Name())
		}
		if !busy {
			return nil
		}
		time.Sleep(pause) // another is checking whether it is locked, or about to remove it
	}
	return InUse(f.Name())
}

const (
	attempts = 100
	pause    = time.Millisecond
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

// InUse returns the error for a file that another recording goes to.
func InUse(path string) error {
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

// Held reports whether a recording goes to the file at path.
func Held(path string) bool {
	f, err := File(path)
	if f != nil {
		_ = f.Close()
	}
	return errors.Is(err, ErrInUse)
}

// ErrUnclaimed is the error for an existing file that cannot be locked.
var ErrUnclaimed = errors.New("it cannot be locked")

// File locks the file at path until it is closed. Errors: fs.ErrNotExist, ErrInUse if a
// recording goes to it, ErrUnclaimed.
func File(path string) (*os.File, error) {
	for {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, ErrUnclaimed // also, opening it may block
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrPermission) {
			f, err = os.Open(path)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, err
		case err != nil:
			return nil, ErrUnclaimed
		}
		err = filelock.Lock(f)
		if err == nil && keepsName(f) {
			return f, nil
		}
		_ = f.Close()
		switch {
		case errors.Is(err, filelock.ErrLocked):
			return nil, InUse(path)
		case err != nil:
			return nil, ErrUnclaimed
		}
		// Meanwhile another file has taken its place.
	}
}

// Soon is File, but waits for a process that finishes a recording or looks at it: that
// takes only a moment.
func Soon(path string) (f *os.File, err error) {
	for range attempts {
		f, err = File(path)
		if !errors.Is(err, ErrInUse) || errors.Is(live.Look(path+format.LiveSuffix), live.ErrInUse) {
			return f, err
		}
		Pause()
	}
	return f, err
}

// Pause gives another process a moment. Tests replace it.
var Pause = func() { time.Sleep(pause) }

// RemoveAll removes the data file of a trace and the files beside it, the data last, unless a
// recording goes to it. If there is no data file, the others may belong to a recording that is
// about to create it: they are kept.
func RemoveAll(data string, beside ...string) error {
	claimed, err := Soon(data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, ErrUnclaimed): // removed all the same
	case err != nil:
		return err
	case runtime.GOOS == "windows":
		_ = claimed.Close() // open files cannot be removed there, not even by others
	default:
		defer claimed.Close()
	}
	return Remove(append(beside, data))
}

// Remove removes files that may exist.
func Remove(names []string) error {
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
