package trace

import (
	"context"
	"errors"
	"os"

	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// useIndex maps an index, makes the pass over it and publishes the view.
func (w *Worker) useIndex(ctx context.Context, path string) error {
	f, _, err := mapped.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := mapped.Map(f, path)
	if err != nil {
		return err
	}
	return w.TakeIndex(ctx, m)
}

// TakeIndex makes the pass over a mapped index. If the pass fails, TakeIndex removes
// the mapping and restores the previous view.
func (w *Worker) TakeIndex(ctx context.Context, m *mapped.File) error {
	before := w.Known.Load()
	if err := w.setIndex(m, before, false); err != nil {
		return err
	}
	// In the data the pass reads the borders of blocks and the descriptors: the system
	// should not read the pages around them.
	w.Data.Scattered(true)
	a := m.Window(w.Use)
	err := w.Use(func() error {
		if err := index.Check(m, w.Data); err != nil {
			return err
		}
		return w.pass(ctx, m, a)
	})
	a.Stop()
	w.Data.Scattered(false)
	if err != nil {
		return errors.Join(err, w.setIndex(nil, before, false))
	}
	return nil
}

// pass makes the pass over the index and publishes the view; a reads ahead in the
// index.
func (w *Worker) pass(ctx context.Context, m *mapped.File, a *mapped.Ahead) error {
	w.begin(PhaseIndexing, int64(len(m.Bytes())))
	l := w.Loader(m)
	l.Progress = func(done int64) {
		a.Reached(done)
		w.progress(done)
	}
	return l.Load(ctx)
}

func (w *Worker) Loader(m *mapped.File) *index.Loader {
	return &index.Loader{
		Index: m, Data: w.Data, Reference: w.AddReference, Progress: w.progress,
		Accept: func(v *index.View) error {
			if err := w.ends(w.Trace, v); err != nil {
				return err
			}
			w.Publish(v)
			return nil
		},
	}
}

// learn reads the whole trace: from the index if it is good, otherwise from the data.
func (w *Worker) learn(ctx context.Context, first *index.Scan) error {
	return w.learnFrom(ctx, w.useIndex(ctx, w.indexPath), first)
}

// learnFrom is learn, where err is whether the recorded index could be used.
func (w *Worker) learnFrom(ctx context.Context, err error, first *index.Scan) error {
	if err == nil {
		w.Note(func(s *Status) { s.Index = IndexRecorded })
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if w.Opts.Index != "" || !errors.Is(err, os.ErrNotExist) {
		w.Note(func(s *Status) { s.IndexReason = err })
		// It may have named descriptors that are not in the data.
		if first, err = w.startOver(); err != nil {
			return err
		}
	}
	return w.Rebuild(ctx, w.indexPath, first)
}
