package dataset

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tracex/format/filelock"
	"tracex/lazy/export/dataset/internal/parquetfile"
)

// Names in a dataset's directory. Other tools see them: do not change.
const (
	tracePrefix  = "trace="
	hidden       = ".tracex-"       // begins the names of what is not part of the dataset, which readers ignore
	lockSuffix   = ".lock"          // of the file whose lock tells that a folder is being written
	oldSuffix    = ".old"           // of a trace that is being replaced
	manifestName = "_manifest.json" // begins with _, so that Spark ignores it
)

// folder is where a trace is written before it becomes part of a dataset: a directory beside its place, so that a
// rename moves it there. Its lock file is locked as long as its process lives: what is left of one that was killed is
// removed by the next one.
type folder struct {
	dir    string // of the dataset
	path   string
	lock   *os.File
	open   map[*output]bool        // files that are being written; one goroutine at a time creates and closes them
	failed func(path string) error // in place of writing; nil but in tests
}

func newFolder(dir, id string) (*folder, error) {
	for {
		f, err := os.CreateTemp(dir, hidden+id+"-*"+lockSuffix)
		if err != nil {
			return nil, writeError(dir, err)
		}
		x := &folder{dir: dir, path: strings.TrimSuffix(f.Name(), lockSuffix), lock: f, open: map[*output]bool{}}
		switch err := filelock.Lock(f); {
		case errors.Is(err, filelock.ErrLocked) || err == nil && !stillThere(f):
			_ = f.Close() // another process is removing it
			continue
		case err != nil && !errors.Is(err, errors.ErrUnsupported):
			// Without locks, as on some network file systems, no export removes what others leave.
		}
		if err := os.Mkdir(x.path, 0o777); err != nil {
			x.discard()
			return nil, writeError(dir, err)
		}
		return x, nil
	}
}

// stillThere reports whether a file still has its name.
func stillThere(f *os.File) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Name())
	return err == nil && os.SameFile(is, named)
}

// discard removes the folder, unless it has been published, and its lock.
func (x *folder) discard() {
	for o := range x.open {
		_ = o.f.Close() // an export that failed
	}
	_ = os.RemoveAll(x.path)
	name := x.lock.Name()
	_ = os.Remove(name)
	_ = x.lock.Close()
	_ = os.Remove(name) // where an open file cannot be removed
}

func (x *folder) empty() error {
	list, err := os.ReadDir(x.path)
	for _, e := range list {
		if err == nil {
			err = os.RemoveAll(filepath.Join(x.path, e.Name()))
		}
	}
	return x.problem(err)
}

func (x *folder) rename(from, to string) error {
	return x.problem(os.Rename(filepath.Join(x.path, from), filepath.Join(x.path, to)))
}

// problem returns an error as one about the dataset.
func (x *folder) problem(err error) error {
	if err == nil {
		return nil
	}
	return writeError(x.dir, err)
}

type output struct {
	*parquetfile.Writer
	x           *folder
	f           *os.File
	buf         *bufio.Writer
	base, table string
}

// create begins a file of a table, in a directory of the folder; "" for the folder itself.
func (x *folder) create(dir, table string, s *parquetfile.Schema, creator string, sorted ...int) (*output, error) {
	path := filepath.Join(x.path, dir)
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, x.problem(err)
	}
	base := table + ".parquet"
	f, err := os.OpenFile(filepath.Join(path, base), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, x.problem(err)
	}
	o := &output{x: x, f: f, buf: bufio.NewWriterSize(f, 1<<16), base: base, table: table}
	x.open[o] = true
	o.Writer = parquetfile.NewWriter(o, s, creator, sorted...)
	return o, nil
}

func (o *output) Write(b []byte) (int, error) {
	if o.x.failed != nil {
		if err := o.x.failed(o.f.Name()); err != nil {
			return 0, o.x.problem(err)
		}
	}
	n, err := o.buf.Write(b)
	return n, o.x.problem(err)
}

// close completes the file: when it gets its place, what it has is on the disk.
func (o *output) close() error {
	delete(o.x.open, o)
	err := o.Writer.Close()
	if err == nil {
		err = o.x.problem(o.buf.Flush())
	}
	if err == nil {
		err = o.x.problem(o.f.Sync())
	}
	if e := o.f.Close(); err == nil {
		err = o.x.problem(e)
	}
	return err
}

// clean removes what processes that were killed have left in a dataset, and puts back what one of them was replacing.
func clean(dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return writeError(dir, err)
	}
	for _, e := range list {
		name, isLock := strings.CutSuffix(e.Name(), lockSuffix)
		if !isLock || !strings.HasPrefix(name, hidden) {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its process has ended meanwhile
		} else if err != nil {
			return writeError(dir, err)
		}
		if filelock.Lock(f) != nil || !stillThere(f) {
			_ = f.Close()
			continue
		}
		x := &folder{dir: dir, path: filepath.Join(dir, name), lock: f}
		x.putBack()
		x.discard()
	}
	return nil
}

// putBack undoes half a replacement.
func (x *folder) putBack() {
	old := x.path + oldSuffix
	if _, err := os.Lstat(old); err != nil {
		return
	}
	id := strings.TrimPrefix(filepath.Base(x.path), hidden)
	id = id[:strings.LastIndexByte(id, '-')]
	if err := os.Rename(old, filepath.Join(x.dir, tracePrefix+id)); err != nil {
		_ = os.RemoveAll(old) // the new one is in its place
	}
}

// publish moves the folder to its place in the dataset. If a trace is there, taken is true, unless it is to be replaced.
func (x *folder) publish(id string, replace bool) (taken bool, err error) {
	to := filepath.Join(x.dir, tracePrefix+id)
	err = os.Rename(x.path, to)
	if err == nil {
		return false, x.problem(syncDir(x.dir))
	}
	if _, e := os.Lstat(to); e != nil {
		return false, x.problem(err)
	}
	if !replace {
		return true, nil
	}
	if exchange(x.path, to) == nil {
		return false, x.problem(syncDir(x.dir)) // discard removes what was there
	}
	old := x.path + oldSuffix
	if err := os.Rename(to, old); err != nil {
		return false, x.problem(err)
	}
	if err := os.Rename(x.path, to); err != nil {
		x.putBack()
		return false, x.problem(err)
	}
	return false, x.problem(errors.Join(syncDir(x.dir), os.RemoveAll(old)))
}

// writeError returns err, of an operation on a temporary file, as an error about the dataset.
func writeError(dir string, err error) error {
	var failed *fs.PathError
	var link *os.LinkError
	var known *WriteError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &failed):
		err = failed.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &WriteError{dir, err}
}

// WriteError is the error that a dataset cannot be written.
type WriteError struct {
	Dir string
	Err error
}

func (e *WriteError) Error() string { return "cannot write " + e.Dir + ": " + e.Err.Error() }

func (e *WriteError) Unwrap() error { return e.Err }
