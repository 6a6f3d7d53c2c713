// Package recording is the folder in which a recording lies while a service makes it,
// beside the trace that will be made of it. It has what the service wrote so far, as
// packets of Perfetto's, and the live files of the programs that are recorded. When
// whoever records ends without a word, both are still there, and anybody can make the
// trace.
//
//	trace.bin.recording/
//	  lock           locked by whoever records
//	  finishing      locked by whoever makes the trace when nobody records any more
//	  about.json     an [About]
//	  spool.pftrace  what the service wrote
//	  *.live         see shared.LiveFolder
package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tracex/format"
	"tracex/recorder/internal/filelock"
)

// Suffix is what the folder's name has behind that of the trace.
const Suffix = format.RecordingSuffix

const (
	lockName, finishingName = "lock", "finishing"
	aboutName, spoolName    = "about.json", "spool.pftrace"
)

// Errors that a caller branches on.
var (
	ErrRecording = errors.New("still being recorded")
	ErrFinishing = errors.New("another process is making its trace")
	ErrLeft      = errors.New("an earlier recording was never finished")
)

// About says whose recording it is.
type About struct {
	PID     int       `json:"pid"`
	Command []string  `json:"command"`
	Begun   time.Time `json:"begun"`
	Replace bool      `json:"replace"`           // a trace that is there already is to be replaced
	Sockets string    `json:"sockets,omitempty"` // the folder of the service's sockets
	// FormatVersion is the version of the format that the trace is to be written in; 0: none was asked for.
	FormatVersion int `json:"formatVersion,omitempty"`
}

// Folder is a folder that this process holds.
type Folder struct {
	About About
	path  string // absolute: programs have folders of their own
	locks []*os.File
}

// Create makes the folder of a trace. It is there at once or not at all. Errors:
// [ErrRecording], [ErrLeft].
func Create(trace string, about About) (*Folder, error) {
	path, err := filepath.Abs(trace + Suffix)
	if err != nil {
		return nil, err
	}
	draft, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return nil, err
	}
	f := &Folder{About: about, path: draft}
	if err = f.begin(); err == nil {
		err = os.Rename(draft, path) // fails where there is one: none is empty
	}
	if err == nil {
		f.path = path
		return f, nil
	}
	f.About.Sockets = "" // they are the caller's
	_ = f.Remove()
	if _, there := os.Lstat(path); there == nil {
		if left, taken := Take(trace); taken == nil {
			err = errors.Join(ErrLeft, left.Close())
		} else if !errors.Is(taken, fs.ErrNotExist) {
			err = taken
		}
	}
	return nil, err
}

func (f *Folder) begin() error {
	if err := f.lock(lockName, nil); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	text, err := json.Marshal(f.About)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(f.path, aboutName), append(text, '\n'), 0o600)
}

// Take takes the folder that somebody left who has ended. Errors: fs.ErrNotExist,
// [ErrRecording], [ErrFinishing]. Where files cannot be locked it fails.
func Take(trace string) (*Folder, error) {
	path, err := filepath.Abs(trace + Suffix)
	if err != nil {
		return nil, err
	}
	st, err := os.Lstat(path)
	if err == nil && !st.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist} // it is something else
	}
	if err != nil {
		return nil, err
	}
	f := &Folder{path: path}
	if text, err := os.ReadFile(filepath.Join(path, aboutName)); err == nil {
		_ = json.Unmarshal(text, &f.About) // without it, little is missing
	}
	// Who finds the first of the locks taken need not know by whom the second is.
	if err = f.lock(finishingName, ErrFinishing); err == nil {
		err = f.lock(lockName, ErrRecording)
	}
	if err == nil {
		if now, fault := os.Lstat(path); fault != nil || !os.SameFile(st, now) {
			err = ErrFinishing // it was removed, and there may be another
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrFinishing // it is being removed
		if _, gone := os.Lstat(path); gone != nil {
			err = gone
		}
	}
	if err == nil {
		return f, nil
	}
	pid := f.About.PID
	_ = f.Close()
	if errors.Is(err, ErrRecording) && pid > 0 {
		err = fmt.Errorf("%w by process %d", err, pid)
	}
	return nil, err
}

// lock locks a file of the folder; held is the error if another has.
func (f *Folder) lock(name string, held error) error {
	file, err := os.OpenFile(filepath.Join(f.path, name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := filelock.Lock(file); err != nil {
		_ = file.Close()
		if errors.Is(err, filelock.ErrLocked) {
			return held
		}
		return err
	}
	f.locks = append(f.locks, file)
	return nil
}

// Path is the folder, where the programs' live files are to be.
func (f *Folder) Path() string { return f.path }

// Spool is the file of what the service writes. It need not be there yet.
func (f *Folder) Spool() string { return filepath.Join(f.path, spoolName) }

// Close leaves the folder as it is.
func (f *Folder) Close() error {
	var err error
	for _, file := range f.locks {
		err = errors.Join(err, file.Close())
	}
	f.locks = nil
	return err
}

// Remove removes the folder, and that of the sockets.
func (f *Folder) Remove() error {
	// It goes at once: what is half removed could be taken for one that was left.
	gone := filepath.Join(filepath.Dir(f.path), fmt.Sprintf(".%s-%d", filepath.Base(f.path), os.Getpid()))
	if err := os.Rename(f.path, gone); err != nil {
		gone = f.path
	}
	removeSockets(f.About.Sockets)
	return errors.Join(os.RemoveAll(gone), f.Close())
}

// SocketsPrefix is how the name of a folder of sockets begins.
const SocketsPrefix = "tracex-record-"

// removeSockets removes a folder of sockets, and of what a file names nothing else.
func removeSockets(dir string) {
	if !strings.HasPrefix(filepath.Base(dir), SocketsPrefix) {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type() == fs.ModeSocket {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	_ = os.Remove(dir) // another file would be a stranger's
}
