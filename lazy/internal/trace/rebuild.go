package trace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// ScanBytes is how much the rebuild scans between two checks of its context.
const ScanBytes = 4 << 20

// showEvery is how often the rebuild shows what it knows.
const showEvery = 100 * time.Millisecond

// Rebuild reads the trace from the data only, showing what it knows as it proceeds,
// and stores the index at path if that is allowed. first is a scan in progress that
// has no sink; nil if there is none.
func (w *Worker) Rebuild(ctx context.Context, path string, first *index.Scan) error {
	w.Note(func(s *Status) { s.Index = IndexRebuilt })
	w.begin(PhaseRebuilding, int64(len(w.Data.Bytes())))
	out, err := w.wantStored(path)
	if err != nil {
		w.Note(func(s *Status) { s.StoreReason = err })
	}
	s := first
	if s == nil || out != nil {
		// The sink must get all cells, so the scan starts again. Finding known data
		// again changes nothing.
		s = index.NewScan(w.Data, w.AddReference)
	}
	if out != nil {
		s.Tell(out)
	}
	show := func() {
		if s.Offset() > firstScan { // never less than was known
			w.Publish(s.View(false))
		}
	}
	if err := w.scanAll(ctx, s, show); err != nil {
		if out != nil {
			out.Abandon()
		}
		return err
	}
	w.Publish(s.View(true))
	problem, unfinished := w.problem(s), s.Unfinished()
	w.Note(func(st *Status) { st.Problem, st.Unfinished = problem, unfinished })
	if out == nil {
		return nil
	}
	if err := w.storeIndex(ctx, out, s); err != nil {
		w.Note(func(st *Status) { st.StoreReason = err })
	}
	return nil
}

// scanAll runs a scan to its end. It calls show now and then.
func (w *Worker) scanAll(ctx context.Context, s *index.Scan, show func()) error {
	shown := time.Now()
	a := w.Data.ReadAhead(s.Offset(), w.Use)
	defer a.Stop()
	for more := true; more; {
		a.Reached(s.Offset())
		err := w.Use(func() error {
			var err error
			more, err = s.Advance(ctx, ScanBytes)
			return err
		})
		if err != nil {
			return err
		}
		if time.Since(shown) >= showEvery && more {
			show()
			shown = time.Now()
		}
		w.progress(s.Offset())
	}
	return nil
}

// errNoEnd is why no index is stored for incomplete data.
var errNoEnd = errors.New("the recording has no end mark; it may still be running")

// wantStored opens the file for the index; it returns nil without an error if no index is
// wanted. A recording without its end mark gets none: it may still be written, and so
// may its index.
func (w *Worker) wantStored(path string) (*index.File, error) {
	if w.Opts.NoWrite || w.Opts.Index != "" || path == "" {
		return nil, nil
	}
	var eof bool
	if err := w.Use(func() error {
		b := w.Data.Bytes()
		eof = len(b) > 0 && format.Kind(b[len(b)-1]) == format.KindEOF
		return nil
	}); err != nil {
		return nil, err
	}
	if !eof {
		return nil, errNoEnd
	}
	out, err := index.Create(path, w.Path, w.Data.Version())
	if err != nil {
		return nil, fmt.Errorf("index not saved: %w", err)
	}
	return out, nil
}

// storeIndex commits the index, unless the data has no valid end or has changed
// meanwhile, and from then on uses it instead of the scan.
func (w *Worker) storeIndex(ctx context.Context, out *index.File, s *index.Scan) error {
	st, err := os.Stat(w.Path)
	switch {
	case s.Problem() != nil:
		out.Abandon()
		return fmt.Errorf("the data is incomplete: %w", s.Problem())
	case err == nil && st.Size() != int64(len(w.Data.Bytes())):
		out.Abandon()
		return errors.New("the data changed while it was read")
	case s.Offset() != int64(len(w.Data.Bytes())):
		out.Abandon()
		return errors.New("there are bytes after the end mark of the data")
	case s.Unfinished() > 0:
		out.Abandon()
		return errors.New("the recording ends inside calls, which an index cannot say")
	}
	if err := out.Commit(); err != nil {
		return err
	}
	w.Note(func(s *Status) { s.Index = IndexStored })
	return w.useIndex(ctx, out.Path())
}

// dropIndex stops using an index that cannot be trusted, and its view. The new view is
// the beginning of the data, from where the returned scan continues.
func (w *Trace) dropIndex() (*index.Scan, error) {
	first, err := w.startOver()
	if err != nil {
		return nil, err
	}
	err = w.setIndex(nil, first.View(false), true)
	w.trustTimes() // the index may have been the reason why they did not match
	w.Note(func(s *Status) {
		s.Epoch++
		s.Generation++
	})
	return first, err
}

// ScanStart scans the beginning of the data, to have something to show before the
// index has been read.
func (w *Trace) ScanStart() (*index.Scan, error) {
	s, err := w.startOver()
	if err == nil {
		w.Publish(s.View(false))
	}
	return s, err
}

// startOver scans the beginning of the data, and forgets everything else. The scan
// that it returns continues from there.
func (w *Trace) startOver() (*index.Scan, error) {
	w.Tallies.Store(nil)
	found := format.NewContext(w.Data.Version())
	s := index.NewScan(w.Data, index.Into(found))
	err := w.Use(func() error {
		_, err := s.Advance(context.Background(), firstScan)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.SetReference(w.AddReference)
	w.setContext(found)
	return s, nil
}

// firstScan is how many bytes of the data Open scans itself: the first block
// begins with the first thread's root and the objects it refers to.
const firstScan = 256 << 10

// problem returns the fault that a scan found in the data.
func (w *Worker) problem(s *index.Scan) error {
	read := int64(len(w.Data.Bytes()))
	if w.indexPath == "" { // unpacked: the file at path is the ZIP
		read = -1
	}
	return Explain(s.Problem(), w.Path, read, w.Opts.Unended)
}
