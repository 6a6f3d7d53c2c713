package lazy

import (
	"context"
	"errors"
	"os"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// endPatience is how long a reader waits, once the data has its end, for index
// and times to get theirs: a recorder writes them behind it. Tests
// wait less.
var endPatience = time.Second

// finished takes the index of a trace that has its end already: there is
// nothing to follow, and no need to scan it.
func (w *follower) finished(ctx context.Context) bool {
	r := w.r
	if r.data == nil || w.s.AtEOF() {
		return false
	}
	eof := false
	err := r.use(func() error {
		b := r.data.Bytes()
		eof = format.Kind(b[len(b)-1]) == format.KindEOF
		return nil
	})
	if err != nil || !eof {
		return false
	}
	if err := r.useIndex(ctx, r.indexPath); err != nil {
		// It may have named descriptors that the data has not.
		w.again = true
		r.begin(PhaseRebuilding, int64(len(r.data.Bytes())))
		return false
	}
	r.note(func(st *Status) { st.Index = IndexRecorded })
	return true
}

// end goes on when the data has its end: as with any trace, with its index, or
// with one that is made now.
func (w *follower) end(ctx context.Context) error {
	r := w.r
	r.begin(PhaseIndexing, 0)
	r.publish(w.s.View(true))
	r.note(func(st *Status) {
		st.Growth.On, st.Growth.Wait = false, nil
		st.Unfinished = w.s.Unfinished()
	})
	w.awaitRest(ctx)
	err := r.useIndex(ctx, r.indexPath)
	switch {
	case err == nil:
		r.note(func(st *Status) { st.Index, st.Unfinished = IndexRecorded, 0 })
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.Is(err, os.ErrNotExist):
		r.note(func(st *Status) { st.IndexReason = err })
	}
	return w.store(ctx)
}

// awaitRest waits until index and times have their ends too, or do not grow any
// more.
func (w *follower) awaitRest(ctx context.Context) {
	var size [2]int64
	for since := time.Now(); !index.HasEnd(w.r.indexPath) || !w.timesEnd(); {
		for i, path := range [...]string{w.r.indexPath, w.r.timesPath} {
			if st, err := os.Stat(path); err == nil && st.Size() != size[i] {
				size[i], since = st.Size(), time.Now()
			}
		}
		if time.Since(since) > endPatience {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// timesEnd reports whether the times, if there are any, are as many as there
// must be.
func (w *follower) timesEnd() bool {
	w.r.growTimes()
	s := w.r.times.Load()
	return !s.Usable() || !s.EndsBefore(endPlace(w.r.known.Load()))
}

// store makes the index from the data, of which all is shown already.
func (w *follower) store(ctx context.Context) error {
	r := w.r
	r.note(func(st *Status) { st.Index = IndexRebuilt })
	r.begin(PhaseRebuilding, int64(len(r.data.Bytes())))
	out, err := r.wantStored(r.indexPath)
	if err != nil {
		r.note(func(st *Status) { st.StoreReason = err })
	}
	if out == nil {
		return nil
	}
	s := index.NewScan(r.data, func([]byte, format.Cell) error { return nil })
	s.Tell(out)
	if err := r.scanAll(ctx, s, func() {}); err != nil {
		out.Abandon()
		return err
	}
	if err := r.storeIndex(ctx, out, s); err != nil {
		r.note(func(st *Status) { st.StoreReason = err })
	}
	return nil
}

// stop ends the following before the data has its end.
func (w *follower) stop() error {
	r := w.r
	if w.s == nil {
		return &os.PathError{Op: "open", Path: r.path, Err: os.ErrNotExist}
	}
	if w.found == nil {
		w.reveal()
		r.publish(w.s.View(true))
	} else {
		v := *r.known.Load()
		v.Complete = true
		r.publish(&v)
	}
	r.note(func(st *Status) {
		st.Index, st.Problem, st.Unfinished = IndexRebuilt, r.problem(w.s), w.s.Unfinished()
		if !r.opts.NoWrite {
			st.StoreReason = errNoEnd
		}
	})
	return nil
}
