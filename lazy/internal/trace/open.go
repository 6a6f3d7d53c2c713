package trace

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// Open opens a trace and begins to read it in the background. checkEnds refuses an index whose recording ends
// within a call.
func Open(path string, o Options, checkEnds func(*Trace, *index.View) error) (*Worker, error) {
	r := NewWorker(path, o, checkEnds)
	if o.Follow {
		return r, r.openFollowed()
	}
	f, size, err := mapped.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	work, err := r.open(f, size)
	if err != nil {
		r.Data.Unmap()
		r.TimesFile.Load().Mapped().Unmap()
		return nil, err
	}
	r.Run(work)
	return r, nil
}

func NewWorker(path string, o Options, checkEnds func(*Trace, *index.View) error) *Worker {
	return newWorker(newTrace(path, o.Ended), o, checkEnds)
}

// open does the quick part of opening and returns the rest of the work.
func (w *Worker) open(f *os.File, size int64) (work func(context.Context) error, err error) {
	head := make([]byte, 512)
	n, err := f.ReadAt(head, 0)
	if n == 0 && size > 0 {
		return nil, err
	}
	head = head[:n]
	if isZip(head) {
		return unpacker{w}.start(f, size)
	}
	if _, err := format.CheckDataHeader(head); err != nil {
		return nil, format.At(err, w.Path, 0)
	}
	m, err := mapped.Map(f, w.Path)
	if err != nil {
		return nil, err
	}
	w.Data = m
	w.file.keep(f)
	if err := m.CheckHeader(format.CheckDataHeader); err != nil {
		return nil, err
	}
	if w.openTimes(); w.Opts.Alone && !w.Timed() {
		w.TimesPath = "" // they cannot be missed: see TimesMissing
	}
	first, err := w.ScanStart()
	if err != nil {
		return nil, err
	}
	w.indexPath = w.indexBeside()
	return func(ctx context.Context) error { return w.learn(ctx, first) }, nil
}

// indexBeside returns the path of the index: as given, or beside the data.
func (w *Worker) indexBeside() string { return cmp.Or(w.Opts.Index, w.Path+format.IndexSuffix) }

// openFollowed opens a trace that is being written, or will be.
func (r *Worker) openFollowed() error {
	r.indexPath, r.TimesPath = r.indexBeside(), r.Path+format.TimesSuffix
	f := newFollower(r.Trace, r.Opts.Finish)
	st, err := os.Stat(r.Path)
	if err == nil {
		if err = mapped.CheckRegular(st, r.Path); err == nil {
			err = f.take()
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		f.why, err = errNoFile, nil
	}
	if err != nil {
		return err
	}
	r.Note(func(st *Status) { st.Growth.On = true })
	if f.s == nil {
		f.tell()
	}
	r.runFollower(f)
	return nil
}
