package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// draft is a file that is being written. It stands beside its final place,
// under a hidden name, and takes that place when it is whole: nobody sees half
// a file, and what stood there stays until then.
type draft struct {
	*os.File
	path string      // the final place, as the person named it
	to   string      // the same, of a link what it leads to
	mode fs.FileMode // its permissions
	done bool
}

// newDraft begins a file. What is at path already is replaced only with force.
// The caller calls commit, and discard in any case.
func newDraft(path string, mode fs.FileMode, force bool) (*draft, error) {
	if err := placeable(path, force); err != nil {
		return nil, err
	}
	to := behindLinks(path)
	f, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+".*.tmp")
	if err != nil {
		return nil, placeError(path, err)
	}
	return &draft{File: f, path: path, to: to, mode: mode}, nil
}

// placeable checks that a file can be put at path. With force a file is
// replaced, but nothing else is: a folder has no name of its own to give away,
// and a device that became a file would be missed by all the machine.
func placeable(path string, force bool) error {
	if _, err := os.Lstat(path); err != nil {
		return nil // what is wrong with the folder is told by who writes there
	}
	switch st, err := os.Stat(path); { // of what a link leads to
	case err == nil && st.IsDir():
		return withHint(fmt.Errorf("%s is a folder", path), "name a file in it")
	case err == nil && !st.Mode().IsRegular():
		return withHint(fmt.Errorf("%s is no regular file, and stays what it is", path), "name another place")
	case !force:
		return withHint(fmt.Errorf("%s: %w", path, fs.ErrExist), "--force replaces it; or name another place")
	}
	return nil
}

// behindLinks returns where a file at path would be: links stay, and what they
// lead to is replaced.
func behindLinks(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// apart checks that what a command writes does not take the place of what it
// reads.
func apart(input, output string) error {
	from, err := os.Stat(input)
	if err != nil {
		return nil // who opens it says what is wrong
	}
	if to, err := os.Stat(output); err == nil && os.SameFile(from, to) {
		return &usageError{output + " is the trace that is read, and would be lost", "-o names another place"}
	}
	return nil
}

// files checks that output, of a command that writes files only, is not meant
// to be standard output.
func files(output string) error {
	if output == "-" {
		return &usageError{"- is standard output, but what is written are files", "./- is a file of that name"}
	}
	return nil
}

// commit puts the file into its place.
func (d *draft) commit() error {
	err := d.Chmod(d.mode)
	if err == nil {
		err = d.Sync()
	}
	if err = errors.Join(err, d.Close()); err == nil {
		err = os.Rename(d.Name(), d.to)
	}
	if err != nil {
		return placeError(d.path, err)
	}
	d.done = true
	return nil
}

// discard removes what was not committed.
func (d *draft) discard() {
	if !d.done {
		// The first Close told what went wrong, if it did.
		_ = d.Close()
		_ = os.Remove(d.Name())
	}
}

// placed names the final place in a failure to write the draft; any other error
// stays as it is.
func (d *draft) placed(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) && p.Path == d.Name() {
		return placeError(d.path, err)
	}
	return err
}

// placeError names the file that the person asked for, not the draft.
func placeError(path string, err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return fmt.Errorf("%s cannot be written: %w", path, err)
}
