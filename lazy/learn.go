package lazy

import (
	"context"
	"errors"
	"fmt"
	"os"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

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
	if err := m.CheckHeader(format.CheckDataHeader); err != nil {
		return nil, err
	}
	w.openTimes()
	first, err := w.scanStart()
	if err != nil {
		return nil, err
	}
	w.indexPath = w.path + format.IndexSuffix
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
	if !errors.Is(err, os.ErrNotExist) {
		w.note(func(s *Status) { s.IndexReason = err })
		// It may have named descriptors that are not in the data.
		if first, err = w.startOver(); err != nil {
			return err
		}
	}
	return w.rebuild(ctx, w.indexPath, first)
}

// useIndex maps an index, makes the pass over it and publishes the view.
func (w *worker) useIndex(ctx context.Context, path string) error {
	f, _, err := mapped.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := mapped.Map(f, path)
	if err != nil {
		return err
	}
	return w.takeIndex(ctx, m)
}

// takeIndex makes the pass over a mapped index. If the pass fails, takeIndex removes
// the mapping and restores the previous view.
func (w *worker) takeIndex(ctx context.Context, m *mapped.File) error {
	before := w.known.Load()
	if err := w.setIndex(m, before, false); err != nil {
		return err
	}
	// In the data the pass reads the borders of blocks and the descriptors: the system
	// should not read the pages around them.
	w.data.Scattered(true)
	a := m.Window(w.use)
	err := w.use(func() error {
		if err := index.Check(m, w.data); err != nil {
			return err
		}
		return w.pass(ctx, m, a)
	})
	a.Stop()
	w.data.Scattered(false)
	if err != nil {
		return errors.Join(err, w.setIndex(nil, before, false))
	}
	return nil
}

// pass makes the pass over the index and publishes the view; a reads ahead in the
// index.
func (w *worker) pass(ctx context.Context, m *mapped.File, a *mapped.Ahead) error {
	w.begin(PhaseIndexing, int64(len(m.Bytes())))
	l := w.loader(m)
	l.Progress = func(done int64) {
		a.Reached(done)
		w.progress(done)
	}
	return l.Load(ctx)
}

func (w *worker) loader(m *mapped.File) *index.Loader {
	return &index.Loader{
		Index: m, Data: w.data, Reference: w.addReference, Progress: w.progress,
		Accept: func(v *index.View) error {
			if err := w.checkEnds(v); err != nil {
				return err
			}
			w.publish(v)
			return nil
		},
	}
}

// endsChecked is how many roots checkEnds checks, of all threads together.
const endsChecked = 1 << 16

// checkEnds refuses an index whose recording ends within a call: only the data tells
// which containers are open. It must be called within use. In a trace with more than
// endsChecked roots it checks the first ones.
func (t *trace) checkEnds(v *index.View) error {
	left := endsChecked
	for _, s := range v.Streams {
		walk := &walker{r: t, v: v, s: s}
		var e nodeData
		for pos, ord := int64(0), int64(0); left > 0; left-- {
			ok, err := walk.next(pos, ord, s.Size, &e, false)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if e.state != StateWhole {
				return walk.contradiction(e.at, fmt.Sprintf("event %d, whose end the index does not have", e.point.Event))
			}
			pos, ord = e.next, e.after
		}
	}
	return nil
}

// dropIndex stops using an index that cannot be trusted, and its view. The new view is
// the beginning of the data, from where the returned scan continues.
func (w *worker) dropIndex() (*index.Scan, error) {
	first, err := w.startOver()
	if err != nil {
		return nil, err
	}
	err = w.setIndex(nil, first.View(false), true)
	w.trustTimes() // the index may have been the reason why they did not match
	w.note(func(s *Status) {
		s.Epoch++
		s.Generation++
	})
	return first, err
}
