package index

import (
	"context"
	"os"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy/internal/mapped"
)

// Rebuild makes the index of a data file from the data only and stores it
// at path, "" for the default name beside the data. It replaces an existing file only
// once the index is complete. progress may be nil; it gets bytes of data.
// Rebuild refuses a recording without its end mark unless force is set; the index
// then ends with the last whole object.
func Rebuild(ctx context.Context, data, path string, force bool, progress func(done, total int64)) error {
	if path == "" {
		path = data + format.IndexSuffix
	}
	m, err := mapped.Open(data, format.CheckDataHeader)
	if err != nil {
		return err
	}
	defer m.Unmap()
	out, err := Create(path, data, m.Version())
	if err != nil {
		return err
	}
	s := NewScan(m, Into(format.NewContext(m.Version())))
	s.out = out
	a := m.ReadAhead(0, nil)
	defer a.Stop()
	for more := true; more; {
		a.Reached(s.scanner.Offset())
		err := mapped.Guard(func() error {
			var err error
			more, err = s.Advance(ctx, verifyBytes)
			return err
		}, m)
		if err != nil {
			out.Abandon()
			return err
		}
		if progress != nil {
			progress(s.scanner.Offset(), int64(len(m.Bytes())))
		}
	}
	if problem := s.Problem(); problem != nil && !force {
		out.Abandon()
		return problem
	}
	if out.InBlock() {
		out.EndBlock(s.scanner.Offset())
	}
	return out.Commit()
}

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
