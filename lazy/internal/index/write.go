package index

import (
	"os"

	"tracex/format"
	"tracex/format/tracefile"
)

// File writes an index, cell by cell, into a file that takes its place when it is
// whole.
type File struct {
	tracefile.IndexWriter
	path    string
	pending *tracefile.Pending
}

// Create begins an index of this version that is to be at path. It gets the
// permissions of the data at data.
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

// Path returns where the index is to be.
func (w *File) Path() string { return w.path }

// Commit ends the index and puts it into its place.
func (w *File) Commit() error {
	if err := w.End(); err != nil {
		w.Abandon()
		return tracefile.WriteError(w.path, err)
	}
	defer w.Abandon()
	return w.pending.Commit()
}

// Abandon removes what was written, unless it is committed.
func (w *File) Abandon() { w.pending.Discard() }
