package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tracex/format"
	"tracex/lazy"
)

// packFlags are the flags of pack.
type packFlags struct {
	level        int
	output, info string
	force        bool
}

func (a *app) packCommand() *cobra.Command {
	var f packFlags
	c := &cobra.Command{
		Use:   "pack FILE",
		Short: "Put a trace, its index and its times into one file",
		Example: `tracex pack trace.bin                  # write trace.bin.packedtrace
tracex pack --level 6 -o small.packedtrace trace.bin`,
		Args: a.oneTrace,
	}
	flags := c.Flags()
	flags.IntVar(&f.level, "level", 0, "compression, 0 (none) to 9 (smallest)")
	flags.StringVarP(&f.output, "output", "o", "", "file to write, else FILE"+packedSuffix+"; - is standard output")
	flags.StringVar(&f.info, "info", "", "description of the run: info.txt of a packed trace")
	flags.BoolVar(&f.force, "force", false, "replace a file; pack a trace that is damaged")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		if f.level < 0 || f.level > 9 {
			return &usageError{"--level is a number from 0 to 9", ""}
		}
		if path == "-" && f.output == "" {
			return &usageError{"a trace from standard input needs a name", "-o names the file to write"}
		}
		return a.pack(ctx, path, f)
	})
	return c
}

// pack writes a packed trace of a data file, its times and its index, which is
// made for it where there is none that can be trusted.
func (a *app) pack(ctx context.Context, path string, f packFlags) (err error) {
	in, err := a.openWhole(ctx, path, true)
	if err != nil {
		return err
	}
	defer in.close()
	defer func() { err = in.blame(err) }()
	output := f.output
	if output == "" {
		output = path + packedSuffix
	}
	if err := cmp.Or(apart(in.path, output), apart(path, output)); err != nil {
		return err
	}
	data, err := os.Open(in.path)
	if err != nil {
		return err
	}
	defer data.Close()
	st, err := data.Stat()
	if err == nil {
		err = unpacked(data, path)
	}
	if err != nil {
		return err
	}
	with, err := a.indexToPack(ctx, in, f.force)
	if err != nil {
		return err
	}
	defer with.drop()
	total := st.Size() + sizeOf(with.index)
	contents := format.PackInput{Data: data, Index: with.index, Modified: st.ModTime()}
	if with.times != nil {
		contents.Times = with.times
		total += sizeOf(with.times)
	}
	if err := describe(&contents, path, f.info, with.points); err != nil {
		return err
	}
	if err := completeInfo(&contents, data); err != nil {
		return err
	}
	return a.writeTo(output, st.Mode().Perm(), f.force, func(w io.Writer) error {
		p := a.newProgress("packing")
		defer p.end()
		return format.Pack(&untilDone{ctx, w}, contents, f.level, func(done int64) { p.update(done, total) })
	})
}

// unpacked checks that a file is not a packed trace already.
func unpacked(data *os.File, name string) error {
	head := make([]byte, 2)
	if n, _ := data.ReadAt(head, 0); string(head[:n]) != "PK" {
		return nil // what it is is looked at when it is opened as a trace
	}
	return &usageError{name + " is packed already", "tracex unpack takes it apart"}
}

// describe adds what is known of the run: the text at info, or else the files
// that unpack puts beside the data. Without either it is when the recording
// ended, which the reference wants to be told, and points, where that is known.
func describe(contents *format.PackInput, data, info string, points *int64) (err error) {
	beside := map[string][]byte{}
	for _, name := range besides {
		path := data + besideName(name)
		if name == format.EntryInfo && info != "" {
			path = info
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && path != info {
			continue
		}
		if err == nil && strings.HasPrefix(name, "info.") {
			_, err = format.ParseInfo(text)
		}
		if err != nil {
			return format.At(err, path, 0)
		}
		beside[name] = text
	}
	contents.Info = beside[format.EntryInfo]
	if contents.Info == nil {
		ended := contents.Modified.UnixMilli()
		contents.Info = (&format.Info{Start: ended, End: ended, Points: points}).Append(nil)
	}
	if beside[format.EntryThreadMap] != nil && beside[format.EntryEventMap] != nil {
		contents.Diff = &format.PackDiff{
			LeftInfo: beside[format.EntryLeftInfo], RightInfo: beside[format.EntryRightInfo],
			ThreadMap: bytes.NewReader(beside[format.EntryThreadMap]),
			EventMap:  bytes.NewReader(beside[format.EntryEventMap]),
		}
	}
	return nil
}

// completeInfo adds to the texts about the run what the version of the data wants
// in them.
func completeInfo(contents *format.PackInput, data io.ReaderAt) error {
	head := make([]byte, format.HeaderSize)
	if _, err := data.ReadAt(head, 0); err != nil {
		return err
	}
	v, err := format.CheckDataHeader(head)
	if err != nil {
		return err
	}
	contents.Info = v.CompleteInfo(contents.Info)
	if d := contents.Diff; d != nil {
		d.LeftInfo, d.RightInfo = v.CompleteInfo(d.LeftInfo), v.CompleteInfo(d.RightInfo)
	}
	return nil
}

// besideData is what is packed with a data file.
type besideData struct {
	index, times *os.File // times may be nil
	points       *int64   // trace points in the data; nil: not counted, or not told in its version
	drop         func()   // closes and removes the files
}

// indexToPack opens the index of a data file and, where there is one that fits,
// its file of times. Where there is no index, or one that does not agree with
// the data, it makes one in a temporary file.
func (a *app) indexToPack(ctx context.Context, in *input, force bool) (with besideData, err error) {
	data := in.path
	r, err := lazy.Open(data, lazy.Options{NoWrite: true, Unended: in.unended})
	if err != nil {
		return with, err
	}
	defer r.Close()
	if err := a.settle(ctx, r); err != nil {
		return with, err
	}
	s := r.Status()
	if s.Problem != nil && !force {
		return with, withHint(s.Problem, "--force packs what is there")
	}
	a.remarkIndex(r)
	dropIndex := func() { with.index.Close() }
	if s.Index == lazy.IndexRecorded {
		with.index, err = os.Open(data + ".idx")
	} else {
		with.index, dropIndex, err = a.makeIndex(ctx, data, force)
	}
	if err != nil {
		return with, err
	}
	with.points = pointsOf(r)
	with.times, err = timesToPack(r, data+timesSuffix, with.index)
	if err != nil {
		// They are no part of what must be there.
		a.remark("packed without times", err)
	}
	with.drop = func() { dropIndex(); with.times.Close() }
	return with, nil
}

// pointsOf returns how many trace points there are, where that is known because the
// data was read for its index, and is to be told: since version 27.
func pointsOf(r *lazy.TraceReader) *int64 {
	if r.Version() < format.V27 {
		return nil
	}
	n := int64(0)
	for _, t := range r.Threads() {
		if !t.Counted {
			return nil
		}
		n += t.Events
	}
	return &n
}

// makeIndex makes the index of a data file in a temporary file.
func (a *app) makeIndex(ctx context.Context, data string, force bool) (index *os.File, drop func(), err error) {
	dir, err := os.MkdirTemp("", "tracex-")
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, "index")
	p := a.newProgress("indexing")
	err = lazy.RebuildIndex(ctx, data, path, force, p.update)
	p.end()
	if err == nil {
		index, err = os.Open(path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return index, func() { index.Close(); os.RemoveAll(dir) }, nil
}

// timesToPack opens the file of times of a trace. It returns nil when there is
// none, and an error as well when there is one that is not to be packed.
func timesToPack(r *lazy.TraceReader, path string, index *os.File) (*os.File, error) {
	if _, ok := r.Times(); !ok {
		return nil, r.Status().TimesReason
	}
	times, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, _ := r.Size()
	if most := format.MaxTimes(data, sizeOf(index)); sizeOf(times) > most {
		times.Close()
		return nil, &format.Error{File: path, Offset: most, Err: format.ErrCorrupt,
			Expected: fmt.Sprintf("at most %d bytes of times for this trace", most), Found: "more"}
	}
	return times, nil
}

// writeTo calls write for a file that stands at path only when it is whole, or
// for standard output when path is "-".
func (a *app) writeTo(path string, mode fs.FileMode, force bool, write func(io.Writer) error) error {
	if path == "-" {
		if term.IsTerminal(int(a.stdout.Fd())) {
			return &usageError{"a packed trace is no text for a terminal", "-o names the file to write"}
		}
		return write(a.stdout)
	}
	d, err := newDraft(path, mode, force)
	if err != nil {
		return err
	}
	defer d.discard()
	if err := write(d); err != nil {
		return d.placed(err)
	}
	return d.commit()
}

func sizeOf(f *os.File) int64 {
	st, err := f.Stat()
	if err != nil {
		return 0 // progress only
	}
	return st.Size()
}
