package main

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
	path string      // the final place
	mode fs.FileMode // its permissions
	done bool
}

// newDraft begins a file. What is at path already is replaced only with force.
// The caller calls commit, and discard in any case.
func newDraft(path string, mode fs.FileMode, force bool) (*draft, error) {
	if _, err := os.Lstat(path); err == nil && !force {
		return nil, withHint(fmt.Errorf("%s: %w", path, fs.ErrExist), "--force replaces it, -o names another place")
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, placeError(path, err)
	}
	return &draft{File: f, path: path, mode: mode}, nil
}

// commit puts the file into its place.
func (d *draft) commit() error {
	err := d.Chmod(d.mode)
	if err == nil {
		err = d.Sync()
	}
	if err = errors.Join(err, d.Close()); err == nil {
		err = os.Rename(d.Name(), d.path)
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
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s cannot be written: %w", path, err)
}
