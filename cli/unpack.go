package cli

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tracex/format"
	"tracex/format/tracefile"
)

// unpackCommand is the command unpack with its flags.
type unpackCommand struct {
	*app
	output string
	force  bool
}

func newUnpackCommand(a *app) *cobra.Command {
	u := &unpackCommand{app: a}
	c := &cobra.Command{
		Use:   "unpack FILE",
		Short: "Unpack a packed trace",
		Example: `tracex unpack run.packedtrace   # write run, run.idx, run.tim, run.info.txt
tracex unpack -o trace.bin run.packedtrace`,
		Args: a.oneTrace,
	}
	flags := c.Flags()
	flags.StringVarP(&u.output, "output", "o", "", "data file or directory; default FILE without suffix")
	flags.BoolVar(&u.force, "force", false, "replace existing files")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		if err := needsOutput(path, u.output, hintNameData); err != nil {
			return err
		}
		name, cut := strings.CutSuffix(path, format.PackedSuffix)
		if !cut {
			name += ".bin"
		}
		to, err := outputPath(path, name, u.output)
		if err != nil {
			return err
		}
		return u.run(ctx, path, to)
	})
	return c
}

// run writes the entries of a packed trace to files, which take their places together.
func (u *unpackCommand) run(ctx context.Context, path, output string) (err error) {
	in, err := u.open(ctx, path)
	if err != nil {
		return err
	}
	defer in.close()
	f, err := os.Open(in.path)
	if err != nil {
		return err
	}
	defer f.Close()
	packed, mode, err := openPacked(f)
	if err != nil {
		return in.blame(format.At(err, in.path, 0))
	}
	p := u.newProgress("unpacking")
	defer p.End()
	out := &countingWriter{p: p, total: packed.Size(format.EntryData) + packed.Size(format.EntryIndex)}
	var set tracefile.Set
	defer set.Discard()
	if times := packed.Times(); times != nil {
		out.total += packed.Size(format.EntryIndex) / 5 // an estimate: the ZIP does not have the size
		f, err := set.Create(output+format.TimesSuffix, mode, u.force)
		if err != nil {
			return err
		}
		out.w = &untilDone{ctx, f}
		damage, err := copyTimes(out, times)
		if err != nil {
			return f.WriteError(err)
		}
		if damage != nil {
			set.Drop(f)
			u.remark("unpacked without times", in.blame(format.At(damage, in.path, 0)))
		}
	}
	for _, entry := range append(sideEntries[:len(sideEntries):len(sideEntries)], format.EntryIndex, format.EntryData) {
		if !packed.Has(entry) {
			continue
		}
		f, err := set.Create(output+entrySuffix(entry), mode, u.force)
		if err != nil {
			return err
		}
		out.w = &untilDone{ctx, f}
		if err := copyEntry(out, packed, entry); err != nil {
			return in.blame(format.At(f.WriteError(err), in.path, 0))
		}
	}
	return set.Commit()
}

// openPacked opens a packed trace; mode is the file's permissions, for the files that
// are unpacked.
func openPacked(f *os.File) (packed *format.Packed, mode fs.FileMode, err error) {
	st, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if st.IsDir() {
		return nil, 0, &format.Error{Offset: -1, Err: format.ErrNotTrace, Found: "it is a directory",
			Hint: "name the packed trace in it"}
	}
	if !isZIP(f) {
		head := make([]byte, 512)
		n, err := f.ReadAt(head, 0)
		if err != nil && err != io.EOF {
			return nil, 0, err
		}
		if _, err = format.CheckDataHeader(head[:n]); err == nil {
			err = withHint(fmt.Errorf("%s is not packed", f.Name()), "tracex opens it without unpacking")
		}
		return nil, 0, err
	}
	packed, err = format.OpenPacked(f, st.Size())
	return packed, st.Mode().Perm(), err
}

func copyEntry(w io.Writer, packed *format.Packed, entry string) error {
	r, err := packed.Open(entry)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, r)
	return err
}

// copyTimes copies the times of a packed trace. damage is a fault in the times, which a trace
// can do without; err is any other failure.
func copyTimes(w io.Writer, times io.Reader) (damage, err error) {
	from := &sticky{r: times}
	if _, err = io.Copy(w, from); from.err != nil {
		return from.err, nil
	}
	return nil, err
}

// sticky is a reader that keeps its error.
type sticky struct {
	r   io.Reader
	err error
}

func (s *sticky) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
