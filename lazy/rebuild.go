package lazy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// stepBytes is how much the rebuild scans between two looks at its context.
const stepBytes = 4 << 20

// showEvery is how often the rebuild shows what it knows.
const showEvery = 100 * time.Millisecond

// rebuild finds out about the trace from the data alone, showing what it knows
// as it goes, and stores the index at path where that is allowed. first is a
// scan that has begun, whose cells nobody took; nil for none.
func (r *TraceReader) rebuild(ctx context.Context, path string, first *scan) error {
	r.note(func(s *Status) { s.Index = IndexRebuilt })
	r.begin(PhaseRebuilding, int64(len(r.data.Bytes())))
	out, err := r.wantStored(path)
	if err != nil {
		r.note(func(s *Status) { s.StoreReason = err })
	}
	s := first
	if s == nil || out != nil {
		// The sink must have all cells, so the scan starts again. What it
		// finds of what is known already changes nothing.
		s = newScan(r.data, r.addReference)
	}
	if out != nil {
		s.out = out
	}
	show := func() {
		if s.scanner.Offset() > firstScan { // never less than was known
			r.publish(s.view(false))
		}
	}
	if err := r.scanAll(ctx, s, show); err != nil {
		if out != nil {
			out.abandon()
		}
		return err
	}
	r.publish(s.view(true))
	problem, unfinished := r.problem(s), s.unfinished()
	r.note(func(st *Status) { st.Problem, st.Unfinished = problem, unfinished })
	if out == nil {
		return nil
	}
	if err := r.storeIndex(ctx, out, s); err != nil {
		r.note(func(st *Status) { st.StoreReason = err })
	}
	return nil
}

// scanAll runs a scan to its end. It calls show now and then.
func (r *TraceReader) scanAll(ctx context.Context, s *scan, show func()) error {
	shown := time.Now()
	a := r.data.ReadAhead(s.scanner.Offset(), r.use)
	defer a.Stop()
	for more := true; more; {
		a.Reached(s.scanner.Offset())
		err := r.use(func() error {
			var err error
			more, err = s.step(ctx, stepBytes)
			return err
		})
		if err != nil {
			return err
		}
		if time.Since(shown) >= showEvery && more {
			show()
			shown = time.Now()
		}
		r.progress(s.scanner.Offset())
	}
	return nil
}

// errNoEnd is why no index is stored.
var errNoEnd = errors.New("the recording has no end mark: it may still be written")

// wantStored opens the place for the index; nil without an error when it is
// not wanted. A recording without its end mark gets none: it may still be
// written, and so may its index.
func (r *TraceReader) wantStored(path string) (*indexFile, error) {
	if r.opts.NoWrite || path == "" {
		return nil, nil
	}
	var eof bool
	if err := r.use(func() error {
		b := r.data.Bytes()
		eof = len(b) > 0 && format.Kind(b[len(b)-1]) == format.KindEOF
		return nil
	}); err != nil {
		return nil, err
	}
	if !eof {
		return nil, errNoEnd
	}
	out, err := createIndex(path, r.path, r.data.Version())
	if err != nil {
		return nil, fmt.Errorf("the index cannot be stored: %w", err)
	}
	return out, nil
}

// storeIndex puts the index into its place, unless the data has no good end or
// has changed meanwhile, and goes on with it instead of the scan's.
func (r *TraceReader) storeIndex(ctx context.Context, out *indexFile, s *scan) error {
	st, err := os.Stat(r.path)
	switch {
	case !s.eof:
		out.abandon()
		return fmt.Errorf("the data is not whole: %w", s.problem())
	case err == nil && st.Size() != int64(len(r.data.Bytes())):
		out.abandon()
		return errors.New("the data changed while it was read")
	case s.scanner.Offset() != int64(len(r.data.Bytes())):
		out.abandon()
		return errors.New("there are bytes behind the end mark of the data")
	case s.unfinished() > 0:
		out.abandon()
		return errors.New("the recording ends within calls, which an index does not tell")
	}
	if err := out.commit(); err != nil {
		return err
	}
	r.note(func(s *Status) { s.Index = IndexStored })
	return r.useIndex(ctx, out.path)
}

// RebuildIndex makes the index of a data file from the data alone and puts it
// at path, "" for the name that belongs to the data. It replaces what is
// there, at the end and whole. progress may be nil; it gets bytes of data.
// A recording without its end mark is refused unless force is set; the index
// then ends with what is whole.
func RebuildIndex(ctx context.Context, data, path string, force bool, progress func(done, total int64)) error {
	if path == "" {
		path = data + format.IndexSuffix
	}
	m, err := mapped.Open(data, format.CheckDataHeader)
	if err != nil {
		return err
	}
	defer m.Unmap()
	out, err := createIndex(path, data, m.Version())
	if err != nil {
		return err
	}
	s := newScan(m, func([]byte, format.Cell) error { return nil })
	s.out = out
	a := m.ReadAhead(0, nil)
	defer a.Stop()
	for more := true; more; {
		a.Reached(s.scanner.Offset())
		err := mapped.Guard(func() error {
			var err error
			more, err = s.step(ctx, stepBytes)
			return err
		}, m)
		if err != nil {
			out.abandon()
			return err
		}
		if progress != nil {
			progress(s.scanner.Offset(), int64(len(m.Bytes())))
		}
	}
	if problem := s.problem(); problem != nil && !force {
		out.abandon()
		return problem
	}
	if out.open >= 0 {
		out.endBlock(s.scanner.Offset())
	}
	return out.commit()
}
