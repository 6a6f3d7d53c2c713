package index

import (
	"os"

	"tracex/format"
	"tracex/format/tracefile"
)

// File writes an index, cell by cell, into a file that is moved to its path when it is
// complete.
type File struct {
	tracefile.IndexWriter
	path    string
	pending *tracefile.Pending
}

// Create begins an index of this version for path. It gets the permissions of the data
// file at data.
func Create(path, data string, v format.Version) (*File, error) {
	st, err := os.Stat(data)
	if err != nil {
		return nil, err
	}
	p, err := tracefile.Create(path, st.Mode().Perm()|0o200, true)
	if err != nil {
		return nil, err
	}
	return &File{IndexWriter: tracefile.NewIndexWriter(p.File, v), path: path, pending: p}, nil
}

// Path returns the path of the finished index.
func (w *File) Path() string { return w.path }

// Commit completes the index and moves it to its path.
func (w *File) Commit() error {
	if err := w.End(); err != nil {
		w.Abandon()
		return tracefile.WriteError(w.path, err)
	}
	defer w.Abandon()
	return w.pending.Commit()
}

// Abandon removes the file, unless it is committed.
func (w *File) Abandon() { w.pending.Discard() }
