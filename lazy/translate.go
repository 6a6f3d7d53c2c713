package lazy

import (
	"context"
	"errors"
	"os"

	"tracex/format"
	"tracex/lazy/internal/times"
)

// TranslateFiles has the files to write a translated trace to. They must be empty;
// Translate does not close them.
type TranslateFiles struct {
	Data, Index *os.File
	Times       *os.File // stays empty if Translation.Times is false
}

// Translation is the result of Translate.
type Translation struct {
	From, To    format.Version
	Changes     map[format.Change]int64 // what was guessed or lost
	Points      int64                   // trace points
	Whole       bool                    // the data has its end mark, and the index its end cell
	Times       bool                    // times were written
	TimesReason error                   // why existing times were left out; nil if they were not, or there are none
	Problem     error                   // what ended the data early; nil if nothing
}

// Translate writes the trace in another version of the format: the same objects
// in the same blocks, and the index in the same order. Data and calls without an end
// stay without one. The reader must know everything, see Wait, and must not follow.
// progress may be nil; it gets bytes of two passes over the data.
//
// If the data is damaged, the new trace ends before the damage, and Translation.Problem
// is set. Translate returns an error if it cannot write, or if ctx has ended.
func (r *LazyTraceReader) Translate(ctx context.Context, to format.Version, out TranslateFiles, progress func(done, total int64)) (*Translation, error) {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	from := r.Version()
	known := format.NewSurvey(from)
	tr, err := format.NewTranslator(from, to, known)
	if err != nil {
		return nil, err
	}
	copied := r.times.Load().Copy()
	data, _ := r.Size()
	err = scanObjects(ctx, r, func(done int64) { progress(done, 2*data) }, func(o *format.Object) error {
		copied.Look(o, from)
		switch o.Kind {
		case format.KindBlockStart, format.KindBlockEnd, format.KindEOF:
			return nil
		}
		return known.Object(o.Bytes)
	})
	if err != nil && !damage(err) {
		return nil, err
	}
	w := newTranslationWriter(tr, out, copied)
	w.index.Dump = r.known.Load().Dumped() || copied.Order() == times.OrderDump && r.Status().Index != IndexRecorded
	tr.NewClass = func() (int32, error) { return freeClass(ctx, r, known) }
	err = scanObjects(ctx, r, func(done int64) { progress(data+done, 2*data) }, w.object)
	if err != nil && !damage(err) {
		return nil, err
	}
	if err := w.end(); err != nil {
		return nil, err
	}
	t := &Translation{From: from, To: to, Changes: tr.Changes(), Points: w.points, Whole: w.eof, Problem: r.Status().Problem}
	if t.Problem == nil {
		t.Problem = format.At(err, r.path, 0)
	}
	t.Times, t.TimesReason = copied.Fits(), r.Status().TimesReason
	if t.TimesReason == nil {
		t.TimesReason = copied.Reason(r.path)
	}
	return t, nil
}

// damage reports whether an error is about the bytes read.
func damage(err error) bool {
	return errors.Is(err, format.ErrTruncated) || errors.Is(err, format.ErrCorrupt)
}

// scanObjects visits the data object by object. The error for data that ends early
// names no file.
func scanObjects(ctx context.Context, r *LazyTraceReader, progress func(done int64), visit func(*format.Object) error) error {
	var s *format.Scanner
	if err := r.use(func() error { s = format.NewBytesScanner(r.data.Bytes()); return nil }); err != nil {
		return err
	}
	ahead := r.data.ReadAhead(0, r.use)
	defer ahead.Stop()
	for more := true; more; {
		ahead.Reached(s.Offset())
		err := r.use(func() error {
			for stop := s.Offset() + scanBytes; s.Offset() < stop; {
				if more = s.Next(); !more {
					return s.Err()
				}
				o := s.Object()
				if err := visit(&o); err != nil {
					return format.At(err, "", o.Offset)
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		progress(s.Offset())
	}
	return ctx.Err()
}

// freeClass returns a class id that nothing in the trace refers to. It reads all of
// the data, within a visit of scanObjects.
func freeClass(ctx context.Context, r *LazyTraceReader, known *format.Survey) (int32, error) {
	s := format.NewBytesScanner(r.data.Bytes())
	for n := 0; s.Next(); n++ {
		o := s.Object()
		if err := known.Uses(o.Bytes, o.Class); err != nil {
			break // the objects that follow are not translated either
		}
		if n%(1<<16) == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
	return known.Free()
}
