package lazy

import (
	"context"
	"errors"

	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

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
			if err := w.ends(w.trace, v); err != nil {
				return err
			}
			w.publish(v)
			return nil
		},
	}
}
