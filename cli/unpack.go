package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tracex/format"
)

// packedSuffix is what recorders put behind the name of a packed trace.
const packedSuffix = ".packedtrace"

// timesSuffix is what stands behind the name of the data in the name of the file
// of its times.
const timesSuffix = ".tim"

// besides are the entries of a packed trace, other than data and index, that
// unpack puts beside the data and pack takes from there.
var besides = []string{
	format.EntryInfo, format.EntryLeftInfo, format.EntryRightInfo, format.EntryThreadMap, format.EntryEventMap,
}

// besideName is what stands behind the name of the data in the name of the
// file of an entry.
func besideName(entry string) string {
	switch entry {
	case format.EntryData:
		return ""
	case format.EntryIndex:
		return ".idx"
	}
	return "." + entry
}

func (a *app) unpackCommand() *cobra.Command {
	var output string
	var force bool
	c := &cobra.Command{
		Use:   "unpack FILE",
		Short: "Take a packed trace apart",
		Example: `tracex unpack run.packedtrace   # write run, run.idx, run.tim, run.info.txt
tracex unpack -o trace.bin run.packedtrace`,
		Args: a.oneTrace,
	}
	flags := c.Flags()
	flags.StringVarP(&output, "output", "o", "", "file or folder for the data, else FILE without suffix")
	flags.BoolVar(&force, "force", false, "replace files")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		if path == "-" && (output == "" || isDir(output)) {
			return &usageError{"a trace from standard input needs a name", "-o names the file of the data"}
		}
		name, cut := strings.CutSuffix(path, packedSuffix)
		if !cut {
			name += ".bin"
		}
		to, err := dataPlace(path, name, output)
		if err != nil {
			return err
		}
		return a.unpack(ctx, path, to, force)
	})
	return c
}

// dataPlace returns the name of the data file that comes out of the file at
// path: name, in the folder or the file that output says, if it says any.
func dataPlace(path, name, output string) (string, error) {
	switch {
	case output == "":
	case isDir(output):
		name = filepath.Join(output, filepath.Base(name))
	case os.IsPathSeparator(output[len(output)-1]):
		return "", &usageError{output + " is no folder", "make it, or name a file"}
	default:
		name = output
	}
	return name, cmp.Or(files(name), apart(path, name))
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// unpack writes the entries of a packed trace into files. They take their
// places together at the end, the data last.
func (a *app) unpack(ctx context.Context, path, output string, force bool) (err error) {
	in, err := a.open(ctx, path)
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
	p := a.newProgress("unpacking")
	defer p.end()
	out := &counter{p: p, total: packed.Size(format.EntryData) + packed.Size(format.EntryIndex)}
	var drafts []*draft
	if times := packed.Times(); times != nil {
		out.total += format.TimeCellOffset(packed.Size(format.EntryIndex)) // about: the ZIP does not say
		d, err := newDraft(output+timesSuffix, mode, force)
		if err != nil {
			return err
		}
		defer d.discard()
		out.w = &untilDone{ctx, d}
		damage, err := copyTimes(out, times)
		switch {
		case err != nil:
			return d.placed(err)
		case damage != nil:
			a.remark("unpacked without times", in.blame(format.At(damage, in.path, 0)))
		default:
			drafts = append(drafts, d)
		}
	}
	for _, entry := range append(besides, format.EntryIndex, format.EntryData) {
		if !packed.Has(entry) {
			continue
		}
		d, err := newDraft(output+besideName(entry), mode, force)
		if err != nil {
			return err
		}
		defer d.discard()
		drafts = append(drafts, d)
		out.w = &untilDone{ctx, d}
		if err := copyEntry(out, packed, entry); err != nil {
			return in.blame(format.At(d.placed(err), in.path, 0))
		}
	}
	for _, d := range drafts {
		if err := d.commit(); err != nil {
			return err
		}
	}
	return nil
}

// openPacked opens a packed trace; mode are the file's permissions, for what
// comes out of it.
func openPacked(f *os.File) (packed *format.Packed, mode fs.FileMode, err error) {
	st, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if st.IsDir() {
		return nil, 0, &format.Error{Offset: -1, Err: format.ErrNotTrace, Found: "it is a directory",
			Hint: "name the packed trace in it"}
	}
	head := make([]byte, 512)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, 0, err
	}
	if !strings.HasPrefix(string(head[:n]), "PK") {
		_, err := format.CheckDataHeader(head[:n])
		if err == nil {
			err = withHint(fmt.Errorf("%s is not packed", f.Name()), "it can be opened as it is")
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

// copyTimes copies the times of a packed trace, and tells damage of theirs apart
// from what else can go wrong: the trace is whole without them.
func copyTimes(w io.Writer, times io.Reader) (damage, err error) {
	from := &sticky{r: times}
	if _, err = io.Copy(w, from); from.err != nil {
		return from.err, nil
	}
	return nil, err
}

// sticky keeps the error of a reader.
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
