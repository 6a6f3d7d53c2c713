package cli

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tracex/format"
	"tracex/format/tracefile"
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
	if err := describe(&contents, path, k.info, with.points); err != nil {
		return err
	}
	if err := completeInfo(&contents, data); err != nil {
		return err
	}
	return k.write(output, st.Mode().Perm(), func(w io.Writer) error {
		p := k.newProgress("packing")
		defer p.End()
		return format.Pack(&untilDone{ctx, w}, contents, k.level, func(done int64) { p.Update(done, total) })
	})
}

// write calls write with a file that takes its place at path once it is complete, or with
// standard output if path is "-".
func (k *packCommand) write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	if path == "-" {
		if term.IsTerminal(int(k.stdout.Fd())) {
			return &usageError{"refusing to write binary data to a terminal", "name the output file with -o"}
		}
		return write(k.stdout)
	}
	f, err := tracefile.Create(path, mode, k.force)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return f.WriteError(err)
	}
	return f.Commit()
}
