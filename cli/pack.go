package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy"
)

// packCommand is the command pack with its flags.
type packCommand struct {
	*app
	level        int
	output, info string
	force        bool
}

func newPackCommand(a *app) *cobra.Command {
	k := &packCommand{app: a}
	c := &cobra.Command{
		Use:   "pack FILE",
		Short: "Pack a trace, index and times into one file",
		Example: `tracex pack trace.bin                  # write trace.bin.packedtrace
tracex pack --level 6 -o small.packedtrace trace.bin`,
		Args: a.oneTrace,
	}
	flags := c.Flags()
	flags.IntVar(&k.level, "level", 0, "compression level, 0 (none) to 9 (smallest)")
	flags.StringVarP(&k.output, "output", "o", "", "output file, - for stdout; default FILE"+format.PackedSuffix)
	flags.StringVar(&k.info, "info", "", "file that describes the run, stored as info.txt")
	flags.BoolVar(&k.force, "force", false, "replace an existing file, and accept a damaged trace")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		if k.level < 0 || k.level > 9 {
			return &usageError{"--level must be between 0 and 9", ""}
		}
		if k.output == "" {
			if err := needsOutput(path, "", "name the output file with -o"); err != nil {
				return err
			}
		}
		return k.run(ctx, path)
	})
	return c
}

// run packs a data file with its times and its index. It makes an index if there is none that
// can be trusted.
func (k *packCommand) run(ctx context.Context, path string) (err error) {
	in, err := k.openWhole(ctx, path, true)
	if err != nil {
		return err
	}
	defer in.close()
	in.tell(k.app)
	defer func() { err = in.blame(err) }()
	if err := in.damage(); err != nil && !k.force {
		return withHint(err, "--force packs what is intact")
	}
	output := cmp.Or(k.output, path+format.PackedSuffix)
	if err := cmp.Or(refuseInput(in.path, output), refuseInput(path, output)); err != nil {
		return err
	}
	data, err := os.Open(in.path)
	if err != nil {
		return err
	}
	defer data.Close()
	st, err := data.Stat()
	if err == nil && isZIP(data) {
		err = &usageError{path + " is already packed", "tracex unpack unpacks it"}
	}
	if err != nil {
		return err
	}
	with, err := sourcesToPack(ctx, k.app, in, k.force)
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
	head := make([]byte, format.HeaderSize)
	if _, err := data.ReadAt(head, 0); err != nil {
		return err
	}
	v, err := format.CheckDataHeader(head)
	if err != nil {
		return err
	}
	about := aboutFiles(path, k.info)
	defer about.close()
	if err := about.describe(&contents, with.points, func(entry string, text []byte) ([]byte, error) {
		_, err := format.ParseInfo(text)
		return v.CompleteInfo(text), format.At(err, about.path(entry), 0)
	}); err != nil {
		return err
	}
	return k.packInto(ctx, output, st.Mode().Perm(), k.force, contents, k.level, total)
}

// packInto packs into a file that takes its place at path once it is complete, or into standard output if path is "-".
func (a *app) packInto(ctx context.Context, path string, mode fs.FileMode, force bool, contents format.PackInput, level int, total int64) error {
	pack := func(w io.Writer) error {
		p := a.newProgress("packing")
		defer p.End()
		return format.Pack(&untilDone{ctx, w}, contents, level, func(done int64) { p.Update(done, total) })
	}
	if path == "-" {
		if term.IsTerminal(int(a.stdout.Fd())) {
			return &usageError{"refusing to write binary data to a terminal", "name the output file with -o"}
		}
		return pack(a.stdout)
	}
	f, err := tracefile.Create(path, mode, force)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := pack(f); err != nil {
		return f.WriteError(err)
	}
	return f.Commit()
}

// packSources are the files that are packed with a data file.
type packSources struct {
	index, times *os.File // times may be nil
	points       *int64   // trace points in the data; nil if not counted, or not part of its version
	drop         func()   // closes and removes the files
}

// sourcesToPack opens the index of a data file and its times, if there are any that
// belong to it. If there is no index that agrees with the data, it makes one in a
// temporary file.
func sourcesToPack(ctx context.Context, a *app, in *input, force bool) (with packSources, err error) {
	data := in.path
	r, err := lazy.Open(data, lazy.Options{NoWrite: true, Unended: in.unended})
	if err != nil {
		return with, err
	}
	defer r.Close()
	if err := a.waitUntilRead(ctx, r); err != nil {
		return with, err
	}
	s := r.Status()
	if s.Problem != nil && !force {
		return with, withHint(s.Problem, "--force packs what is intact")
	}
	remarkIndex(a, r)
	dropIndex := func() { with.index.Close() }
	if s.Index == lazy.IndexRecorded {
		with.index, err = os.Open(data + format.IndexSuffix)
	} else {
		with.index, dropIndex, err = makeIndex(ctx, a, data, force)
	}
	if err != nil {
		return with, err
	}
	with.points = pointsOf(r)
	with.times, err = timesToPack(r, data+format.TimesSuffix, with.index)
	if err != nil {
		// A trace is complete without them.
		a.remark("packed without times", err)
	}
	with.drop = func() { dropIndex(); with.times.Close() }
	return with, nil
}

// pointsOf returns the number of trace points if it is known and the version records it. It is
// known if the data was read for its index; versions since 27 record it.
func pointsOf(r *lazy.LazyTraceReader) *int64 {
	if !r.Version().CountsPoints() {
		return nil
	}
	n := int64(0)
	for t := range r.ThreadList().All() {
		if !t.Counted {
			return nil
		}
		n += t.Events
	}
	return &n
}

// makeIndex writes the index of a data file to a temporary file.
func makeIndex(ctx context.Context, a *app, data string, force bool) (index *os.File, drop func(), err error) {
	dir, err := os.MkdirTemp("", "tracex-")
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, "index")
	p := a.newProgress("indexing")
	err = lazy.RebuildIndex(ctx, data, path, force, p.Update)
	p.End()
	if err == nil {
		index, err = os.Open(path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return index, func() { index.Close(); os.RemoveAll(dir) }, nil
}

// timesToPack opens the times of a trace. It returns nil if there are none, with an
// error if there is a file that must not be packed.
func timesToPack(r *lazy.LazyTraceReader, path string, index *os.File) (*os.File, error) {
	if _, ok := r.Times(); !ok {
		return nil, r.Status().TimesReason
	}
	times, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, _ := r.Size()
	err = format.CheckTimes(times, data, sizeOf(index))
	if err == nil {
		_, err = times.Seek(0, io.SeekStart)
	}
	if err != nil {
		times.Close()
		return nil, format.At(err, path, 0)
	}
	return times, nil
}
