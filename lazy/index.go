package lazy

import (
	"context"
	"errors"
	"fmt"

	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// ErrIndexVersion: an index has another format version than its data.
var ErrIndexVersion = index.ErrVersion

// IndexError is a fault of an index, not of its data: it is missing, cut short, of
// another version, or does not match the data. Its Err has the details.
type IndexError = index.Error

// VerifyIndex compares every cell of an index with the data. file is its path, "" for
// the default name beside the data. It returns the number of cells. progress may be
// nil; it gets bytes of data. A fault of the index is an [*IndexError].
func VerifyIndex(ctx context.Context, data, file string, progress func(done, total int64)) (cells int64, err error) {
	return index.Verify(ctx, data, file, progress)
}

// RebuildIndex makes the index of a data file from the data only and stores it at path,
// "" for the default name beside the data. It replaces an existing file only once the
// index is complete. progress may be nil; it gets bytes of data. RebuildIndex refuses a
// recording without its end mark unless force is set; the index then ends with the last
// whole object.
func RebuildIndex(ctx context.Context, data, path string, force bool, progress func(done, total int64)) error {
	return index.Rebuild(ctx, data, path, force, progress)
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
	var walk walker
	var e nodeData
	for _, s := range v.Streams {
		if left == 0 {
			break
		}
		walk, e = walker{r: t, v: v, s: s}, nodeData{}
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
