package cli

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracex/format"
	"tracex/recorder/convert/importer"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/recording"
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
		Use:   "convert FILE…",
		Short: "Convert from other tools or format versions",
		Long: "Make a trace from a file or folder of another tool, compressed or not, or, with --to, from a trace of another format version. " +
			"The kind is recognized by the content. Several files become one trace. " +
			"What has no place in the trace is counted. tracex help exchange tells more.",
		Example: `tracex convert trace.json.gz             # trace.bin, .idx, .tim
tracex convert a.json uftrace.data -o all.bin
perfetto -c config -o - | tracex convert -o trace.bin -
tracex convert --to 22 trace.bin         # trace.v22.bin
tracex convert --to 27 -o new.packedtrace old.packedtrace`,
		Args: v.arguments,
	}
	flags := c.Flags()
	flags.StringVarP(&v.output, "output", "o", "", "data file or directory; default FILE.bin or FILE.v22.bin")
	flags.BoolVar(&v.force, "force", false, "replace existing files")
	flags.BoolVar(&v.split, "split", false, "a trace for each instrumented Go process")
	flags.Var(&v.version, "to", "format version to write: 27 or 22")
	flags.Var(&v.version, "format-version", "same as --to")
	completeVersion(c, "to")
	completeVersion(c, "format-version")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return v.runSeveral(c, args)
		}
		return v.run(c.Context(), args[0])
	}
	return c
}

// arguments checks the arguments: one or several files.
func (v *convertCommand) arguments(c *cobra.Command, args []string) error {
	if len(args) > 1 && !slices.Contains(args, "") {
		return nil
	}
	return v.oneTrace(c, args)
}

func (v *convertCommand) run(ctx context.Context, path string) error {
	if files := recording.RawFiles(path); files != nil && v.from == "" {
		return v.runRaws(ctx, path, files)
	}
	s, err := v.openSource(ctx, path, v.from)
	if err != nil {
		return err
	}
	defer s.Close()
	if s.Kind == importer.KindTrace && v.version != 0 {
		return v.runVersion(ctx, s)
	}
	return v.runStream(ctx, s)
}

// runVersion converts a trace to another version.
func (v *convertCommand) runVersion(ctx context.Context, s *importer.Input) error {
	a, path, output := *v.app, s.Path, v.output
	if s.Pipe || path == "-" {
		var err error
		if a.stdin, err = s.AsPipe(); err != nil {
			return err
		}
		path = "-"
	} else if s.Packed() != "" && output == "" {
		output = versionName(importer.Unpacked(path), format.Version(v.version))
	}
	return a.convertVersion(ctx, path, output, v.force, format.Version(v.version))
}

// runStream makes a trace of a file or folder of another tool.
func (v *convertCommand) runStream(ctx context.Context, s *importer.Input) error {
	to, err := outputPath(s.Path, s.DataPath(), v.output)
	if err := cmp.Or(needsOutput(s.Path, v.output, hintNameData), err, s.Refuse()); err != nil {
		return err
	}
	return v.convert(ctx, to, s)
}

// convert makes one trace of inputs, and prints a summary. Of damaged inputs it converts the undamaged parts.
func (v *convertCommand) convert(ctx context.Context, to string, ins ...*importer.Input) error {
	made, damage, err := v.conversion(to, v.force, v.version).Run(ctx, ins...)
	if err != nil {
		return err
	}
	if made.Unaligned != "" {
		v.remark("the times of the files are not aligned", errors.New(made.Unaligned))
	}
	return errors.Join(v.reportMade(to, made), damage)
}

// runSeveral makes one trace of several files and folders.
func (v *convertCommand) runSeveral(c *cobra.Command, paths []string) error {
	if v.output == "" || isDir(v.output) {
		return &usageError{"several files become one trace, which needs a name", hintNameData}
	}
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			return &usageError{path + " is there twice", usageHint(c)}
		}
	}
	var ins []*importer.Input
	defer func() {
		for _, s := range ins {
			s.Close()
		}
	}()
	for _, path := range paths {
		if _, err := outputPath(path, v.output, v.output); err != nil {
			return err
		}
		s, err := v.openSource(c.Context(), path, v.from)
		if err != nil {
			return err
		}
		ins = append(ins, s)
		if s.Pipe || path == "-" {
			return &usageError{s.Name + " cannot be one of several files, which are read twice", "write it to a file first"}
		}
		if err := s.Refuse(); err != nil {
			return err
		}
		if s.Kind != importer.KindSource {
			return &usageError{s.Name + " is a recording of Perfetto, which cannot be in one trace with others yet", "convert it alone: tracex convert " + path}
		}
	}
	return v.convert(c.Context(), v.output, ins...)
}

// runRaws is the command convert for raw files.
func (v *convertCommand) runRaws(ctx context.Context, path string, files []string) error {
	output, err := rawOutputPath(path, v.output)
	if err != nil {
		return err
	}
	err = recording.ConvertRaws(ctx, path, files, recording.Options{
		Output: output, Replace: v.force, Version: format.Version(v.version), Split: v.split, Listener: newTeller(v.app, nil),
	})
	if nothing := (*recording.NothingError)(nil); errors.As(err, &nothing) {
		return v.nothingRecorded(nothing.Summary)
	}
	return recordError(err)
}

// rawOutputPath returns where the trace of raw files goes by default: path without the suffixes that tracex
// appends, and with .bin.
func rawOutputPath(path, output string) (string, error) {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Clean(path), format.RecordingSuffix), raw.Suffix)
	if name == filepath.Clean(path) || !strings.HasSuffix(name, ".bin") {
		name += ".bin"
	}
	return outputPath(path, name, output)
}
