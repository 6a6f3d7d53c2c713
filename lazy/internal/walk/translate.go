package walk

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"os"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy/internal/times"
	"tracex/lazy/internal/trace"
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

func (r *Reader) Translate(ctx context.Context, to format.Version, out TranslateFiles, progress func(done, total int64)) (*Translation, error) {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	from := r.Version()
	known := format.NewSurvey(from)
	tr, err := format.NewTranslator(from, to, known)
	if err != nil {
		return nil, err
	}
	copied := r.TimesFile.Load().Copy()
	data, _ := r.Sizes()
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
	w.index.Dump = r.Known.Load().Dumped() || copied.Order() == times.OrderDump && r.Now().Index != trace.IndexRecorded
	tr.NewClass = func() (int32, error) { return freeClass(ctx, r, known) }
	err = scanObjects(ctx, r, func(done int64) { progress(data+done, 2*data) }, w.object)
	if err != nil && !damage(err) {
		return nil, err
	}
	if err := w.end(); err != nil {
		return nil, err
	}
	t := &Translation{From: from, To: to, Changes: tr.Changes(), Points: w.points, Whole: w.eof, Problem: r.Now().Problem}
	if t.Problem == nil {
		t.Problem = format.At(err, r.Path, 0)
	}
	t.Times, t.TimesReason = copied.Fits(), r.Now().TimesReason
	if t.TimesReason == nil {
		t.TimesReason = copied.Reason(r.Path)
	}
	return t, nil
}

// damage reports whether an error is about the bytes read.
func damage(err error) bool {
	return errors.Is(err, format.ErrTruncated) || errors.Is(err, format.ErrCorrupt)
}

// scanObjects visits the data object by object. The error for data that ends early
// names no file.
func scanObjects(ctx context.Context, r *Reader, progress func(done int64), visit func(*format.Object) error) error {
	var s *format.Scanner
	if err := r.Use(func() error { s = format.NewBytesScanner(r.Data.Bytes()); return nil }); err != nil {
		return err
	}
	ahead := r.Data.ReadAhead(0, r.Use)
	defer ahead.Stop()
	for more := true; more; {
		ahead.Reached(s.Offset())
		err := r.Use(func() error {
			for stop := s.Offset() + trace.ScanBytes; s.Offset() < stop; {
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
func freeClass(ctx context.Context, r *Reader, known *format.Survey) (int32, error) {
	s := format.NewBytesScanner(r.Data.Bytes())
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

// translationWriter writes the objects of a translation, and their cells.
type translationWriter struct {
	tr      *format.Translator
	data    *bufio.Writer
	off     int64 // bytes of data so far
	index   tracefile.IndexWriter
	times   *times.Copy
	threads map[int32]*translatedStream
	cur     *translatedStream
	buf     []byte
	points  int64
	eof     bool
	err     error // of writing the data
}

// translatedStream is the state of a thread while it is written.
type translatedStream struct {
	logical int64 // content bytes so far
	base    int64 // physical offset of the block's content
	before  int64 // logical bytes before the block
	open    []openCell
}

// openCell is a container whose footer has not been read.
type openCell struct {
	start int64 // logical, of its content
	event int32
}

// translateBuffer is the size of the write buffer for data, in bytes.
const translateBuffer = 1 << 20

func newTranslationWriter(tr *format.Translator, out TranslateFiles, copied *times.Copy) *translationWriter {
	w := &translationWriter{
		tr: tr, data: bufio.NewWriterSize(out.Data, translateBuffer), index: tracefile.NewIndexWriter(out.Index, tr.To()), times: copied,
		threads: make(map[int32]*translatedStream),
	}
	copied.Begin(out.Times)
	w.write(format.AppendDataHeader(nil, tr.To()))
	return w
}

// write writes to the data; failed returns its errors.
func (w *translationWriter) write(b []byte) {
	n, err := w.data.Write(b)
	w.off += int64(n)
	if err != nil {
		w.err = err
	}
}

// object writes the translation of an object. It fails if the object cannot be read,
// and also if writing has failed, since reading on would be pointless.
func (w *translationWriter) object(o *format.Object) error {
	switch o.Kind {
	case format.KindBlockStart:
		w.beginBlock(o)
	case format.KindBlockEnd:
		w.index.EndBlock(w.off)
		w.write(o.Bytes)
		w.times.BlockEnd()
		w.cur = nil
	case format.KindEOF:
		w.write(o.Bytes)
		w.times.Cell()
		w.eof = true
	default:
		var err error
		if w.buf, err = w.tr.Object(w.buf[:0], o.Bytes, o.Class); err != nil {
			return err
		}
		if d := w.tr.Owed(); d != nil {
			if err := w.owed(d); err != nil {
				return err
			}
		}
		w.content(o, w.buf)
	}
	return w.failed()
}

func (w *translationWriter) beginBlock(o *format.Object) {
	s := w.threads[o.Thread]
	if s == nil {
		s = new(translatedStream)
		w.threads[o.Thread] = s
	}
	w.cur = s
	w.index.BeginBlock(o.Thread, w.off)
	w.write(o.Bytes)
	s.base, s.before = w.off, s.logical
	w.times.BlockStart()
}

// owed writes a class descriptor that the trace lacked.
func (w *translationWriter) owed(d *format.ClassDescriptor) error {
	b, err := d.Append(nil, w.tr.To())
	if err != nil {
		return err
	}
	w.reference(b)
	w.times.Add(d.ID)
	return nil
}

// reference writes a reference object, without its time.
func (w *translationWriter) reference(b []byte) {
	s := w.cur
	w.index.Cell(format.Cell{Kind: format.Kind(b[0]), ID: w.tr.To().ReferenceID(b), Start: w.off, End: format.ReferenceEnd(s.base, s.before)})
	w.write(b)
	s.logical += int64(len(b))
}

// content writes b, the translation of object o.
func (w *translationWriter) content(o *format.Object, b []byte) {
	s := w.cur
	switch o.Kind {
	case format.KindTracePoint:
		w.points++
		w.write(b)
		s.logical += int64(len(b))
		if o.Class.Container() {
			s.open = append(s.open, openCell{start: s.logical, event: format.EventOf(b)})
		}
	case format.KindFooter:
		f := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		w.index.Cell(format.Cell{Kind: format.KindTracePoint, ID: f.event, Start: f.start, End: s.logical})
		w.write(b)
		s.logical += int64(len(b))
		w.times.Cell()
	default:
		w.reference(b)
		w.times.Cell()
	}
}

// failed returns the first error of writing.
func (w *translationWriter) failed() error {
	return cmp.Or(w.err, w.index.Err(), w.times.Err())
}

// end completes the files. Those of an incomplete trace stay incomplete.
func (w *translationWriter) end() error {
	if !w.eof {
		w.index.DropBlock()
	} else {
		at := int64(-1)
		if w.index.Dump {
			at = w.lastBase()
		}
		w.index.Tail(at)
	}
	w.index.Flush()
	w.times.Flush()
	return cmp.Or(w.data.Flush(), w.failed())
}

// lastBase returns the offset that a dump writer puts into the last cell.
func (w *translationWriter) lastBase() int64 {
	last := int64(format.HeaderSize)
	for _, s := range w.threads {
		last = max(last, s.base)
	}
	return format.DumpEnd(last)
}
