package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"tracex/format"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/times"
)

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// unpacker unpacks a packed trace.
type unpacker struct{ *Worker }

// start opens a packed trace. Its parts are unpacked in the background
// into files without a name, since a ZIP does not allow random access.
func (w unpacker) start(f *os.File, size int64) (func(context.Context) error, error) {
	p, err := format.OpenPacked(f, size)
	if err != nil {
		return nil, format.At(err, w.Path, 0)
	}
	// A bad info.txt is no reason to refuse the trace.
	if w.Info, err = p.Info(); err != nil {
		w.Note(func(s *Status) { s.InfoProblem = format.At(err, w.Path, 0) })
	}
	if p.IsDiff() {
		w.Diff = new(DiffInfo)
		if w.Diff.A, w.Diff.B, err = p.DiffInfo(); err != nil { // as above
			w.Note(func(s *Status) { s.InfoProblem = format.At(err, w.Path, 0) })
		}
	}
	return func(ctx context.Context) error {
		f, err := os.Open(w.Path)
		if err != nil {
			return err
		}
		defer f.Close()
		if p, err = format.OpenPacked(f, size); err != nil {
			return format.At(err, w.Path, 0)
		}
		damage, err := w.unpack(ctx, p)
		if damage != nil {
			// The fault in the data is a consequence of this damage.
			w.Note(func(s *Status) { s.Problem = damage })
		}
		return err
	}, nil
}

// unpack unpacks data and index, maps them and continues as with any trace. From
// damaged data it takes what can be unpacked, and returns the damage.
func (w unpacker) unpack(ctx context.Context, p *format.Packed) (damage, err error) {
	total := p.Size(format.EntryIndex) + p.Size(format.EntryData)
	if p.Times() != nil {
		total += p.Size(format.EntryIndex) / 5 // approximate: the ZIP does not tell
	}
	w.begin(PhaseUnpacking, total)
	var indexErr error
	var index *mapped.File
	if p.Has(format.EntryIndex) {
		index, indexErr = w.unpackEntry(ctx, p, format.EntryIndex)
	}
	data, damage := w.unpackEntry(ctx, p, format.EntryData)
	if data == nil {
		index.Unmap()
		return nil, damage
	}
	if err := data.CheckHeader(format.CheckDataHeader); err != nil {
		index.Unmap()
		data.Unmap()
		return nil, errors.Join(damage, format.At(err, data.Path(), 0))
	}
	w.Life.Lock()
	w.Data = data
	w.Life.Unlock()
	first, err := w.ScanStart()
	if err != nil {
		index.Unmap()
		return damage, err
	}
	if err := w.unpackTimes(ctx, p); err != nil {
		index.Unmap()
		return damage, err
	}
	switch {
	case w.Opts.Index != "":
		index.Unmap()
		return damage, w.learnFrom(ctx, w.useIndex(ctx, w.Opts.Index), first)
	case index == nil || indexErr != nil:
		index.Unmap()
		w.Note(func(s *Status) { s.IndexReason = indexErr })
		return damage, w.Rebuild(ctx, "", first)
	default:
		return damage, w.learnFrom(ctx, w.TakeIndex(ctx, index), first)
	}
}

// unpackEntry copies an entry into a file that no longer has a name, and maps it. Of a
// damaged entry it maps the good part, and returns the damage.
func (w unpacker) unpackEntry(ctx context.Context, p *format.Packed, name string) (*mapped.File, error) {
	in, err := p.Open(name)
	if err != nil {
		return nil, format.At(err, w.Path, 0)
	}
	defer in.Close()
	return w.unpackFrom(ctx, in, name)
}

// unpackTimes unpacks the times, if any. A fault in them does not prevent showing the
// trace.
func (w unpacker) unpackTimes(ctx context.Context, p *format.Packed) error {
	in := p.Times()
	if in == nil {
		return nil
	}
	m, err := w.unpackFrom(ctx, in, "the times")
	var s *times.File
	if err == nil {
		s, err = times.New(m)
	}
	if err != nil {
		if ctx.Err() == nil {
			w.Note(func(st *Status) { st.TimesReason = err })
		}
		return errors.Join(ctx.Err(), m.Unmap())
	}
	w.Life.Lock()
	defer w.Life.Unlock()
	w.TimesFile.Store(s)
	return nil
}

// unpackFrom is unpackEntry for the contents of an entry.
func (w unpacker) unpackFrom(ctx context.Context, in io.Reader, name string) (*mapped.File, error) {
	tmp, err := os.CreateTemp("", "tracex-*-"+name)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot unpack it: %w", w.Path, err)
	}
	defer tmp.Close()
	if os.Remove(tmp.Name()) != nil {
		// On systems where open files cannot be removed.
		w.leftover = append(w.leftover, tmp.Name())
	}
	before := w.Now().Done
	from := &countingReader{ctx: ctx, in: in, count: func(n int64) { w.progress(before + n) }}
	_, copyErr := io.CopyBuffer(tmp, from, make([]byte, 1<<20))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case from.err != nil:
		copyErr = format.At(from.err, w.Path, 0)
	case copyErr != nil:
		copyErr = fmt.Errorf("cannot unpack %s into %s: %w", w.Path, os.TempDir(), copyErr)
	}
	m, err := mapped.Map(tmp, w.Path+":"+name)
	if err != nil {
		return nil, err
	}
	return m, copyErr
}

// countingReader reports how much was read, and ends with its context.
type countingReader struct {
	ctx   context.Context
	in    io.Reader
	n     int64
	count func(int64)
	err   error // of in
}

func (c *countingReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.in.Read(b)
	c.n += int64(n)
	c.count(c.n)
	if err != io.EOF {
		c.err = err
	}
	return n, err
}
