// Package tracefile writes the files of traces. [Writer] encodes them from the objects collected
// in a [Block], with index cells and times. [IndexWriter] indexes existing data. [Pending] puts
// a file in its place: the file is written beside that place and renamed when it is complete.
//
// A recorder writes its files by a package of its own, recorder/internal/files.
package tracefile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tracex/format"
)

// Why a file cannot be put at a path. Besides these, [Check] returns fs.ErrExist.
var (
	// ErrDirectory: the path is a directory.
	ErrDirectory = errors.New("is a directory")
	// ErrNotRegular: the path is a device, a pipe or a socket. It is never replaced, as other
	// programs may depend on it.
	ErrNotRegular = errors.New("is not a regular file; refusing to replace it")
)

// Pending is a file that is being written. It is in the directory of its final place, under a
// hidden temporary name. Until [Pending.Commit] renames it, readers see the old file there.
type Pending struct {
	*os.File
	path      string      // the final place, as the caller named it
	target    string      // the same, with symbolic links resolved
	mode      fs.FileMode // permissions of the final file
	committed bool
}

// Create begins a file for path. A symbolic link at path stays, and the file that it leads to
// is replaced. An existing file is replaced only if replace is set. The caller calls
// [Pending.Commit], and [Pending.Discard] in any case.
func Create(path string, mode fs.FileMode, replace bool) (*Pending, error) {
	return create("", path, mode, replace)
}

// create is Create with the temporary file in a directory; "" means that of the final place.
func create(dir, path string, mode fs.FileMode, replace bool) (*Pending, error) {
	if err := Check(path, replace); err != nil {
		return nil, err
	}
	target := Target(path)
	f, err := os.CreateTemp(cmp.Or(dir, filepath.Dir(target)), "."+filepath.Base(target)+".*.tmp")
	if err != nil {
		return nil, WriteError(path, err)
	}
	return &Pending{File: f, path: path, target: target, mode: mode}, nil
}

// Check reports why a file cannot be put at path: something other than a regular file is there,
// or a file is there and replace is not set.
func Check(path string, replace bool) error {
	if _, err := os.Lstat(path); err != nil {
		return nil // Create reports problems with the directory
	}
	switch st, err := os.Stat(path); { // of the link's target
	case err == nil && st.IsDir():
		return fmt.Errorf("%s %w", path, ErrDirectory)
	case err == nil && !st.Mode().IsRegular():
		return fmt.Errorf("%s %w", path, ErrNotRegular)
	case !replace:
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	return nil
}

// maxLinks is the number of links that Target follows, the same as Linux.
const maxLinks = 40

// Target resolves the symbolic links at path, whether or not the file exists.
func Target(path string) string {
	at := path
	for range maxLinks {
		if to, err := filepath.EvalSymlinks(at); err == nil {
			return to
		}
		to, err := os.Readlink(at)
		if err != nil {
			return at // nothing there, or no link
		}
		if !filepath.IsAbs(to) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(at))
			if err != nil {
				return path
			}
			to = filepath.Join(dir, to)
		}
		at = to
	}
	return path // the links lead in a circle
}

// Commit syncs the file and renames it to its final place.
func (p *Pending) Commit() error {
	err := p.Chmod(p.mode)
	if err == nil {
		err = p.Sync()
	}
	if err = errors.Join(err, p.Close()); err == nil {
		err = os.Rename(p.Name(), p.target)
	}
	if err != nil {
		return WriteError(p.path, err)
	}
	p.committed = true
	return nil
}

// Discard closes and removes the file, unless it is committed.
func (p *Pending) Discard() {
	if !p.committed {
		// If it fails, an earlier write or Commit has reported the cause.
		_ = p.Close()
		_ = os.Remove(p.Name())
	}
}

// Target returns the path that Commit renames the file to, with links resolved.
func (p *Pending) Target() string { return p.target }

// WriteError returns err under the name of the final place if it is a failure to write the
// temporary file. It returns any other error unchanged.
func (p *Pending) WriteError(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) && failed.Path == p.Name() {
		return WriteError(p.path, err)
	}
	return err
}

// WriteError returns err, of an operation on a temporary file, as an error about path.
func WriteError(path string, err error) error {
	var failed *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &failed):
		err = failed.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}

// Suffixes are those of a trace's files in the order in which they take their places: the data last, so
// that it never exists without the files that belong to it.
var Suffixes = []string{format.TimesSuffix, format.IndexSuffix, ""}

// Set is a set of files that take their places together, such as a trace's times,
// index and data.
type Set struct {
	// Dir is where the files are until they take their places; "" means beside these. It must be on the same
	// disk.
	Dir   string
	files []*Pending
}

// Create adds a file to the set; see [Create].
func (s *Set) Create(path string, mode fs.FileMode, replace bool) (*Pending, error) {
	p, err := create(s.Dir, path, mode, replace)
	if err == nil {
		s.files = append(s.files, p)
	}
	return p, err
}

// WriteError is [Pending.WriteError] for whichever file of the set err is about.
func (s *Set) WriteError(err error) error {
	for _, p := range s.files {
		err = p.WriteError(err)
	}
	return err
}

// Commit commits the files in the order of their creation, up to the first failure. Callers
// create the data last, so that it never exists without the files that belong to it.
func (s *Set) Commit() error {
	for _, p := range s.files {
		if err := p.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// Drop discards a file and removes it from the set.
func (s *Set) Drop(p *Pending) {
	p.Discard()
	for i, f := range s.files {
		if f == p {
			s.files = append(s.files[:i:i], s.files[i+1:]...)
			return
		}
	}
}

// Discard discards all files that have not been committed.
func (s *Set) Discard() {
	for _, p := range s.files {
		p.Discard()
	}
}
