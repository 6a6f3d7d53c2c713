package trace

import (
	"context"
	"errors"
	"os"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// EndPatience is how long index and times may stop growing, once the data is complete,
// before a reader no longer waits for them: a recorder completes them after the data.
// Tests wait less.
var EndPatience = time.Second

// finished loads the index of a trace that is complete already: there is
// nothing to follow, and no need to scan it.
func (w *Worker) finished(ctx context.Context, f *follower) bool {
	if w.Data == nil || f.s.AtEOF() {
		return false
	}
	eof := false
	err := w.Use(func() error {
		b := w.Data.Bytes()
		eof = format.Kind(b[len(b)-1]) == format.KindEOF
		return nil
	})
	if err != nil || !eof {
		return false
	}
	if err := w.useIndex(ctx, w.indexPath); err != nil {
		// It may have named descriptors that are not in the data.
		f.again = true
		w.begin(PhaseRebuilding, int64(len(w.Data.Bytes())))
		return false
	}
	w.Note(func(st *Status) { st.Index = IndexRecorded })
	return true
}

// end continues once the data is complete: as with any trace, with its index, or
// with one that is made now.
func (w *Worker) end(ctx context.Context, f *follower) error {
	w.begin(PhaseIndexing, 0)
	w.Publish(f.s.View(true))
	w.Note(func(st *Status) {
		st.Growth.On, st.Growth.Wait = false, nil
		st.Unfinished = f.s.Unfinished()
	})
	w.awaitRest(ctx)
	err := w.useIndex(ctx, w.indexPath)
	switch {
	case err == nil:
		w.Note(func(st *Status) { st.Index, st.Unfinished = IndexRecorded, 0 })
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case w.Opts.Index != "" || !errors.Is(err, os.ErrNotExist):
		w.Note(func(st *Status) { st.IndexReason = err })
	}
	return w.store(ctx)
}

// awaitRest waits until index and times are complete too, or have stopped growing.
func (w *Worker) awaitRest(ctx context.Context) {
	var size [2]int64
	for since := time.Now(); !index.HasEnd(w.indexPath) || !w.timesEnd(); {
		for i, path := range [...]string{w.indexPath, w.TimesPath} {
			if st, err := os.Stat(path); err == nil && st.Size() != size[i] {
				size[i], since = st.Size(), time.Now()
			}
		}
		if time.Since(since) > EndPatience {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// timesEnd reports whether the file of times, if any, has all cells.
func (w *Trace) timesEnd() bool {
	w.GrowTimes()
	s := w.TimesFile.Load()
	return !s.Usable() || !s.EndsBefore(EndCellAt(w.Known.Load()))
}

// store makes the index from the data. All of the data is shown already.
func (w *Worker) store(ctx context.Context) error {
	w.Note(func(st *Status) { st.Index = IndexRebuilt })
	w.begin(PhaseRebuilding, int64(len(w.Data.Bytes())))
	out, err := w.wantStored(w.indexPath)
	if err != nil {
		w.Note(func(st *Status) { st.StoreReason = err })
	}
	if out == nil {
		return nil
	}
	s := index.NewScan(w.Data, func([]byte, format.Cell) error { return nil })
	s.Tell(out)
	if err := w.scanAll(ctx, s, func() {}); err != nil {
		out.Abandon()
		return err
	}
	if err := w.storeIndex(ctx, out, s); err != nil {
		w.Note(func(st *Status) { st.StoreReason = err })
	}
	return nil
}

// stop stops following before the data is complete.
func (w *Worker) stop(f *follower) error {
	if f.s == nil {
		return &os.PathError{Op: "open", Path: w.Path, Err: os.ErrNotExist}
	}
	if f.found == nil {
		f.reveal()
		w.Publish(f.s.View(true))
	} else {
		v := *w.Known.Load()
		v.Complete = true
		w.Publish(&v)
	}
	w.Note(func(st *Status) {
		st.Index, st.Problem, st.Unfinished = IndexRebuilt, w.problem(f.s), f.s.Unfinished()
		if !w.Opts.NoWrite {
			st.StoreReason = errNoEnd
		}
	})
	return nil
}

// left is what a follower knows about data that the program left elsewhere.
type left struct {
	size  int64 // of the data at the last poll
	fault error // why it could not be brought in; nil if not tried
}

// bringIn brings in the data that the program left elsewhere, if it has ended without
// closing the trace. While the data grows it has not.
func (w *follower) bringIn() {
	size := int64(len(w.Data.Bytes()))
	switch {
	case w.finish == nil:
	case size != w.left.size:
		w.left = left{size: size}
	case w.left.fault != nil:
		w.why = w.left.fault
	default:
		told, err := w.finish()
		w.left.fault, w.why = err, err
		if told != "" {
			w.Note(func(st *Status) { st.Ended = told })
		}
	}
}
