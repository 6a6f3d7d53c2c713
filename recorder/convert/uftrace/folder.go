package uftrace

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"tracex/format"
	"tracex/recorder/convert/fit"
)

// maxLine bounds a line of a text file in bytes: longer ones are cut. The longest that uftrace
// writes are the specifications of all library functions, some 20 KiB.
const maxLine = 1 << 20

// folder is a data directory. Names in it are never paths.
type folder struct {
	files fs.FS
	path  string // for messages
}

var errNotRegular = errors.New("not a regular file")

// open opens a regular file. A named pipe would block.
func (d *folder) open(name string) (fs.File, error) {
	info, err := fs.Stat(d.files, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return d.files.Open(name)
}

// has reports whether a file is there.
func (d *folder) has(name string) bool {
	info, err := fs.Stat(d.files, name)
	return err == nil && info.Mode().IsRegular()
}

// fault is an error about a file of the directory.
func (d *folder) fault(name string, offset int64, err error, expected, found, hint string) error {
	return &format.Error{File: filepath.Join(d.path, name), Offset: offset, Expected: expected, Found: found, Hint: hint, Err: err}
}

// lines passes each line of a text file to do, without its end, until do returns false. A line is
// valid until do returns.
func (d *folder) lines(name string, do func(line []byte) bool) error {
	f, err := d.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return eachLine(f, do)
}

// eachLine passes each line of r to do, cut to maxLine bytes, until do returns false.
func eachLine(r io.Reader, do func(line []byte) bool) error {
	l := fit.NewLines(r, maxLine)
	for l.Next() && do(l.Line) {
	}
	return l.Err
}
