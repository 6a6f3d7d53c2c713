package diff

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy"
)

// Open writes what Run has found as a trace with marks, in which a row stands for siblings that are equal, and opens it. It is
// in a temporary directory, which [Pairs.Close] removes. The reader knows what was moved. tell gets bytes of the two traces; it may be nil. If an index turns out to be
// wrong, the two are compared again.
func (d *Diff) Open(ctx context.Context, tell lazy.Progress) (r *lazy.LazyTraceReader, p *Pairs, err error) {
	err = d.insist(ctx, tell, func() error {
		r, p, err = openRows(ctx, d.input(), tell)
		return err
	})
	return r, p, err
}

// insist calls f until it has written what Run found, and calls Run again if what it found is gone.
func (d *Diff) insist(ctx context.Context, tell lazy.Progress, f func() error) error {
	for {
		err := f()
		if err == nil {
			return nil
		}
		d.doubt(err)
		if again, err := d.again(ctx, err); !again {
			return err
		}
		if err := d.Run(ctx, tell); err != nil {
			return err
		}
	}
}

// doubt takes an error of what reads both sides: see [side.doubt].
func (d *Diff) doubt(err error) {
	var where *format.Error
	errors.As(err, &where)
	for i, s := range d.sides {
		if s != nil && (where == nil || where.File == d.readers[i].Path()) {
			s.doubt(err)
		}
	}
}

// PackOptions say how a diff is packed.
type PackOptions struct {
	Level   int         // of compression, 0 to 9
	Mode    fs.FileMode // permissions of the file
	Replace bool        // replace an existing file
}

// Pack writes what Run has found to a packed trace, which has all points of both, with marks, as in the diffs of Lincheck. tell
// gets bytes of the two traces; it may be nil. If an index turns out to be wrong, the two are compared again.
func (d *Diff) Pack(ctx context.Context, path string, o PackOptions, tell lazy.Progress) error {
	return d.insist(ctx, tell, func() error { return pack(ctx, d.input(), path, o, tell) })
}

// input returns what the writers read.
func (d *Diff) input() input {
	in := input{sides: d.readers, steps: d.script.all()}
	for i, s := range d.sides {
		if s != nil {
			in.known[i] = s.known
		}
	}
	if b := d.sides[1]; b != nil {
		in.calls = func(thread int32, cell int64) int64 { return int64(b.h.of(thread, cell).calls) }
	}
	return in
}

// openRows is Open.
func openRows(ctx context.Context, in input, tell lazy.Progress) (r *lazy.LazyTraceReader, p *Pairs, err error) {
	dir, err := os.MkdirTemp("", "tracex-diff-*")
	if err != nil {
		return nil, nil, err
	}
	p = &Pairs{dir: dir}
	defer func() {
		if err != nil {
			if r != nil {
				r.Close()
			}
			p.Close()
			r, p = nil, nil
		}
	}()
	path := filepath.Join(dir, "diff.bin")
	data, index, err := createBoth(path)
	if err != nil {
		return nil, p, err
	}
	defer data.Close()
	defer index.Close()
	if p.f, err = os.Create(filepath.Join(dir, "pairs")); err != nil {
		return nil, p, err
	}
	done, err := write(ctx, in, output{files: tracefile.Files{Data: data, Index: index}, pairs: &pairsWriter{f: p.f}}, tell)
	if err != nil {
		return nil, p, err
	}
	p.n = done.points
	slices.SortFunc(done.moves, func(x, y lazy.Move) int { return cmp.Compare(x.Event, y.Event) })
	if r, err = lazy.Open(path, lazy.Options{NoWrite: true, Moves: done.moves}); err == nil {
		err = r.Wait(ctx)
	}
	return r, p, err
}

// createBoth creates the data of a trace, and its index.
func createBoth(path string) (data, index *os.File, err error) {
	if data, err = os.Create(path); err != nil {
		return nil, nil, err
	}
	if index, err = os.Create(path + format.IndexSuffix); err != nil {
		data.Close()
	}
	return data, index, err
}

// pack is Pack.
func pack(ctx context.Context, in input, path string, o PackOptions, tell lazy.Progress) error {
	if err := tracefile.Check(path, o.Replace); err != nil {
		return err
	}
	begin := time.Now()
	dir, err := os.MkdirTemp("", "tracex-diff-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	data, index, err := createBoth(filepath.Join(dir, "diff.bin"))
	if err != nil {
		return err
	}
	defer data.Close()
	defer index.Close()
	events, err := os.Create(filepath.Join(dir, "events"))
	if err != nil {
		return err
	}
	defer events.Close()
	matches := bufio.NewWriter(events)
	var buf []byte
	done, err := write(ctx, in, output{full: true, files: tracefile.Files{Data: data, Index: index}, events: func(list []format.EventMatch) error {
		buf = format.AppendEventMap(buf[:0], list)
		_, err := matches.Write(buf)
		return err
	}}, tell)
	if err = errors.Join(err, matches.Flush()); err != nil {
		return err
	}
	for _, f := range [...]*os.File{data, index, events} {
		if _, err := f.Seek(0, 0); err != nil {
			return err
		}
	}
	contents := packed(in, done, begin)
	contents.Data, contents.Index, contents.Diff.EventMap = data, index, events
	return packTo(ctx, path, contents, o)
}
