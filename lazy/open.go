package lazy

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

// openFile opens a trace and begins to read it in the background. checkEnds refuses an index whose recording ends
// within a call.
func openFile(path string, o Options, checkEnds func(*trace, *index.View) error) (*worker, error) {
	r := newReader(path, o, checkEnds)
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
		r.data.Unmap()
		r.times.Load().Mapped().Unmap()
		return nil, err
	}
	r.run(work)
	return r, nil
}

func newReader(path string, o Options, checkEnds func(*trace, *index.View) error) *worker {
	return newWorker(newTrace(path, o.Ended), o, checkEnds)
}

// open does the quick part of opening and returns the rest of the work.
func (w *worker) open(f *os.File, size int64) (work func(context.Context) error, err error) {
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
		return nil, format.At(err, w.path, 0)
	}
	m, err := mapped.Map(f, w.path)
	if err != nil {
		return nil, err
	}
	w.data = m
	w.file.keep(f)
	if err := m.CheckHeader(format.CheckDataHeader); err != nil {
		return nil, err
	}
	if w.openTimes(); w.opts.Alone && !w.timed() {
		w.timesPath = "" // they cannot be missed: see TimesMissing
	}
	first, err := w.scanStart()
	if err != nil {
		return nil, err
	}
	w.indexPath = w.indexBeside()
	return func(ctx context.Context) error { return w.learn(ctx, first) }, nil
}

// indexBeside returns the path of the index: as given, or beside the data.
func (w *worker) indexBeside() string { return cmp.Or(w.opts.Index, w.path+format.IndexSuffix) }

// openFollowed opens a trace that is being written, or will be.
func (r *worker) openFollowed() error {
	r.indexPath, r.timesPath = r.indexBeside(), r.path+format.TimesSuffix
	f := newFollower(r.trace, r.opts.Finish)
	st, err := os.Stat(r.path)
	if err == nil {
		if err = mapped.CheckRegular(st, r.path); err == nil {
			err = f.take()
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		f.why, err = errNoFile, nil
	}
	if err != nil {
		return err
	}
	r.note(func(st *Status) { st.Growth.On = true })
	if f.s == nil {
		f.tell()
	}
	r.runFollower(f)
	return nil
}
