package lazy

import (
	"cmp"
	"context"
	"errors"
	"os"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// Open opens a trace: a data file, with its index beside it if it exists, or
// a packed trace. It returns quickly, whatever the size; the rest is read in the
// background, see Status and Changed. An error about a fault of the file is
// an [*format.Error].
func Open(path string, o Options) (*LazyTraceReader, error) {
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	if o.Follow {
		return openFollowed(path, o)
	}
	f, size, err := mapped.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := newReader(path, o)
	work, err := r.open(f, size)
	if err != nil {
		r.data.Unmap()
		r.times.Load().Mapped().Unmap()
		return nil, err
	}
	r.run(work)
	return r, nil
}

func newReader(path string, o Options) *LazyTraceReader {
	return &LazyTraceReader{newWorker(newTrace(path, o.Ended), o)}
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
		return w.startPacked(f, size)
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

// scanStart scans the beginning of the data, to have something to show before the
// index has been read.
func (w *worker) scanStart() (*index.Scan, error) {
	s, err := w.startOver()
	if err == nil {
		w.publish(s.View(false))
	}
	return s, err
}

// startOver scans the beginning of the data, and forgets everything else. The scan
// that it returns continues from there.
func (w *worker) startOver() (*index.Scan, error) {
	w.tallies.Store(nil)
	found := format.NewContext(w.data.Version())
	s := index.NewScan(w.data, func(object []byte, cell format.Cell) error { return addTo(found, object, cell) })
	err := w.use(func() error {
		_, err := s.Advance(context.Background(), firstScan)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.SetReference(w.addReference)
	w.setContext(found)
	return s, nil
}

// indexBeside returns the path of the index: as given, or beside the data.
func (w *worker) indexBeside() string { return cmp.Or(w.opts.Index, w.path+format.IndexSuffix) }

// learn reads the whole trace: from the index if it is good, otherwise from the data.
func (w *worker) learn(ctx context.Context, first *index.Scan) error {
	return w.learnFrom(ctx, w.useIndex(ctx, w.indexPath), first)
}

// learnFrom is learn, where err is whether the recorded index could be used.
func (w *worker) learnFrom(ctx context.Context, err error, first *index.Scan) error {
	if err == nil {
		w.note(func(s *Status) { s.Index = IndexRecorded })
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if w.opts.Index != "" || !errors.Is(err, os.ErrNotExist) {
		w.note(func(s *Status) { s.IndexReason = err })
		// It may have named descriptors that are not in the data.
		if first, err = w.startOver(); err != nil {
			return err
		}
	}
	return w.rebuild(ctx, w.indexPath, first)
}
