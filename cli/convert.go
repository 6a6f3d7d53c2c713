package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tracex/format"
)

// convertCommand is the command convert with its flags.
type convertCommand struct {
	*app
	output  string
	force   bool
	version formatVersion
	split   bool
}

func newConvertCommand(a *app) *cobra.Command {
	v := &convertCommand{app: a}
	c := &cobra.Command{
		Use:   "convert FILE",
		Short: "Convert from Perfetto, or to another version",
		Long: "Make a trace, with index and times, from a Perfetto recording, from what instrumented Go programs have left, or, with --to, from a trace of another format version. " +
			"A Perfetto recording becomes a trace of the newest version unless --to names another. " +
			"What the target version lacks is lost; what the source lacks is guessed. Both are counted.",
		Example: `tracex convert trace.pftrace                # write trace.bin, .idx, .tim
perfetto -c config -o - | tracex convert -o trace.bin -
tracex convert --to 22 trace.bin            # write trace.v22.bin
tracex convert --to 27 -o new.packedtrace old.packedtrace`,
		Args: a.oneTrace,
	}
	flags := c.Flags()
	flags.StringVarP(&v.output, "output", "o", "", "data file or directory; default FILE.bin or FILE.v22.bin")
	flags.BoolVar(&v.force, "force", false, "replace existing files")
	flags.BoolVar(&v.split, "split", false, "a trace for each instrumented Go process")
	flags.Var(&v.version, "to", "format version to write: 27 or 22")
	flags.Var(&v.version, "format-version", "same as --to")
	completeVersion(c, "to")
	completeVersion(c, "format-version")
	c.RunE = onTrace(v.run)
	return c
}

func (v *convertCommand) run(ctx context.Context, path string) error {
	if files := rawFiles(path); files != nil {
		return v.runRaws(ctx, path, files)
	}
	a := v.app
	if v.version != 0 {
		var perfetto bool
		var err error
		if a, path, perfetto, err = a.sniff(ctx, path); err != nil {
			return err
		}
		if !perfetto {
			return a.convertVersion(ctx, path, v.output, v.force, format.Version(v.version))
		}
	}
	to, err := perfettoOutputPath(path, v.output)
	if err != nil {
		return err
	}
	made := conversion{app: a, output: to, force: v.force, version: format.Version(v.version)}
	return made.run(ctx, path)
}

// perfettoSuffixes are the suffixes of Perfetto trace files.
var perfettoSuffixes = []string{".pftrace", ".perfetto-trace", ".perfetto", ".proto", ".pb"}

// perfettoOutputPath returns the name of the data file made from the Perfetto trace at path.
func perfettoOutputPath(path, output string) (string, error) {
	name := path
	for _, suffix := range perfettoSuffixes {
		if cut, ok := strings.CutSuffix(path, suffix); ok {
			name = cut
			break
		}
	}
	to, err := outputPath(path, name+".bin", output)
	return to, cmp.Or(needsOutput(path, output, hintNameData), err)
}

// hintNameData is for commands that write a data file and the files that belong to it.
const hintNameData = "name the data file with -o"
