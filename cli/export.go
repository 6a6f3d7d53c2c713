package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/export"
	"tracex/lazy/export/dataset"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
)

// exportCommand is the command export with its flags.
type exportCommand struct {
	*app
	scopeFlags
	export.Options
	output string
	where  string
	minDur time.Duration
	label  []string

	format *export.Format // of the argument
}

func newExportCommand(a *app) *cobra.Command {
	x := &exportCommand{app: a}
	c := &cobra.Command{
		Use:   "export FORMAT FILE…",
		Short: "Write a trace for other tools",
		Long:  "Write a trace for other tools, as " + strings.Join(formatNames(), ", ") + ": tracex help exchange.",
		Example: `tracex export perfetto trace.bin   # trace.pftrace, for ui.perfetto.dev
tracex export speedscope --min-dur 10us 'trace.bin#1204'
tracex export jsonl --where 'class=Dao' -o - trace.bin | jq .text`,
		Args: x.args,
	}
	x.scopeFlags.add(c)
	f := c.Flags()
	f.StringVar(&x.where, "where", "", "only calls that match a filter: 'class=Dao'")
	f.DurationVar(&x.minDur, "min-dur", 0, "leave out calls shorter than this")
	f.IntVar(&x.Depth, "depth", 0, "at most N levels below the top")
	f.BoolVar(&x.NoValues, "no-values", false, "no arguments, results, variables: often secret")
	f.BoolVar(&x.Reads, "reads", false, "also reads, not only writes")
	f.StringVarP(&x.output, "output", "o", "", "file or directory, - for stdout")
	f.StringVar(&x.Weight, "weight", "", "of folded: "+strings.Join(export.Weights, ", "))
	f.StringArrayVar(&x.label, "label", nil, "of pprof: arg.1; of parquet: build=1.2")
	f.BoolVar(&x.Force, "force", false, "replace files, write what is too large to load")
	f.Lookup("min-dur").DefValue, f.Lookup("depth").DefValue = "", ""
	markShared(f, answerMark, map[string]string{"reads": "", "min-dur": "TIME", "depth": "N", "where": "FILTER"})
	c.RunE = func(c *cobra.Command, args []string) error { return x.run(c.Context(), args[1:]) }
	c.ValidArgsFunction = x.complete
	return c
}

// formatNames returns the names of all formats.
func formatNames() (names []string) {
	for _, f := range exportFormats() {
		names = append(names, f.Name)
	}
	return names
}

// complete completes the format, and then files.
func (x *exportCommand) complete(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return formatNames(), cobra.ShellCompDirectiveNoFileComp
}

// args checks the arguments.
func (x *exportCommand) args(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		if x.format = formatByName(args[0]); x.format == nil {
			return &usageError{"no format " + args[0], "one of " + strings.Join(formatNames(), ", ")}
		}
	}
	if len(args) < 2 || slices.Contains(args, "") {
		return &usageError{"export needs a format and a file", c.CommandPath() + " perfetto trace.bin"}
	}
	return nil
}

// run exports each of the files.
func (x *exportCommand) run(ctx context.Context, files []string) error {
	if err := x.check(); err != nil {
		return err
	}
	if len(files) > 1 && x.output != "" && !isDir(x.output) && x.format != datasetFormat {
		return &usageError{"several files cannot become one " + x.output, "-o can name a directory"}
	}
	if x.format != datasetFormat && len(x.label) > 0 {
		x.Label = x.label[len(x.label)-1]
	}
	steps := query.TreeSteps(x.steps)
	var failed error
	for _, file := range files { // one that fails does not keep the others
		x.steps = slices.Clone(steps)
		failed = errors.Join(failed, x.export(ctx, file))
		if ctx.Err() != nil {
			break
		}
	}
	return failed
}

// check refuses flags out of range.
func (x *exportCommand) check() error {
	if err := cmp.Or(x.scopeFlags.check(), tooSmall(x.flags, "depth", int64(x.Depth), 1)); err != nil {
		return err
	}
	switch {
	case x.Weight != "" && x.format.Name != "folded":
		return &usageError{"--weight is for folded", "the other formats have all that is known of a call"}
	case len(x.label) > 0 && x.format.Name != "pprof" && x.format != datasetFormat:
		return &usageError{"--label is for pprof and parquet", ""}
	}
	for _, s := range []struct {
		kind query.StepKind
		text string
	}{{query.Only, x.where}, {query.Only, x.longer()}, {query.Merge, x.shorter()}} {
		if s.text == "" {
			continue
		}
		step, err := query.ParseStep(s.kind, s.text)
		if err != nil {
			return filterError(err)
		}
		x.steps = append(x.steps, step)
	}
	return nil
}

// longer returns the filter of the calls that --min-dur leaves, shorter that of the loops and iterations that it
// does not; "" without it. The time of a call that is left out stays with its caller.
func (x *exportCommand) longer() string {
	if x.minDur <= 0 {
		return ""
	}
	return "not dur<" + x.minDur.String()
}

func (x *exportCommand) shorter() string {
	if x.minDur <= 0 {
		return ""
	}
	return "(kind=loop or kind=iteration) dur<" + x.minDur.String()
}

// export exports one file.
func (x *exportCommand) export(ctx context.Context, file string) error {
	path, at := splitPlace(file)
	to, err := x.outputOf(path)
	if err != nil {
		return err
	}
	return x.withTrace(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error {
		x.raw = x.raw || x.format.Raw
		if x.Scope, err = x.scope(ctx, r, at); err != nil {
			return err
		}
		x.Title, x.Program = filepath.Base(path), "tracex@"+version
		remarkIndex(x.app, r)
		problem := r.Status().Problem
		if x.format == datasetFormat {
			return errors.Join(x.dataset(ctx, r, to), problem)
		}
		return errors.Join(x.write(ctx, r, path, to), problem)
	})
}

// outputOf returns where the export of the file at path goes.
func (x *exportCommand) outputOf(path string) (string, error) {
	if x.format == datasetFormat {
		if x.output == "" || x.output == "-" {
			return "", &usageError{"parquet needs the folder of a dataset", "-o fleet makes it, or adds to it"}
		}
		return x.output, nil
	}
	if x.output == "-" {
		if term.IsTerminal(int(x.stdout.Fd())) && !x.format.Text {
			return "", &usageError{"refusing to write binary data to a terminal", "name the output file with -o"}
		}
		if x.format.Files {
			return "", &usageError{"a trace is several files: it cannot go to standard output", hintNameData}
		}
		return "-", nil
	}
	if err := needsOutput(path, x.output, "name the output file with -o"); err != nil {
		return "", err
	}
	name := strings.TrimSuffix(strings.TrimSuffix(path, format.PackedSuffix), ".bin")
	return outputPath(path, name+x.format.Suffix, x.output)
}

// write writes the export to a file, which takes its place when it is complete, or to standard output.
func (x *exportCommand) write(ctx context.Context, r *lazy.LazyTraceReader, path, to string) error {
	j, err := export.NewJob(r, x.Options)
	if err != nil {
		return err
	}
	p := x.newProgress("exporting")
	var size int64
	if to == "-" {
		size, err = j.Write(ctx, x.format, x.stdout, p.Update)
	} else {
		size, err = j.Save(ctx, x.format, export.Destination{Path: to, Mode: modeOf(path), Replace: x.Force}, p.Update)
	}
	p.End()
	if err != nil {
		return exportError(err)
	}
	if !j.Timed && x.format.Axis {
		x.remark("the trace has no times", errors.New("one event is shown as one microsecond"))
	}
	x.tellLeftOut(j)
	if to != "-" {
		_, err = fmt.Fprintf(x.stdout, "%s: %s\n", printable(to), humanSize(size))
	}
	return err
}

// exportError adds to an error how to make an export smaller.
func exportError(err error) error {
	var large *export.TooLargeError
	var many *export.TooManyError
	switch {
	case errors.As(err, &many):
		return withHint(err, "--in, --where, --min-dur and --depth leave fewer; --force writes them all")
	case errors.As(err, &large):
		return withHint(err, tooLargeHint(large))
	}
	return err
}

// modeOf returns the permissions of what is made of the file at path.
func modeOf(path string) fs.FileMode {
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
		return st.Mode().Perm() | 0o200
	}
	return 0o644
}

// tellLeftOut tells what is not in an export.
func (x *exportCommand) tellLeftOut(j *export.Job) {
	for _, l := range j.LeftOut() {
		x.remark("left out", errors.New(display.Grouped(l.Count)+" "+l.What))
	}
}

// tooLargeHint tells how to make an export small enough.
func tooLargeHint(e *export.TooLargeError) string {
	hint := "--depth, --where and --in leave out more; --force writes it anyway"
	if e.MinDur > 0 {
		hint = fmt.Sprintf("--min-dur %v makes it about %d MB; %s", time.Duration(e.MinDur), cmp.Or(e.Then/1e6, 1), hint)
	}
	return hint
}

// datasetFormat is the format of a dataset for many traces.
var datasetFormat = &export.Format{Name: "parquet", What: "a table of calls for DuckDB, Spark …: tracex help fleet"}

// exportFormats are all formats, in the order of help.
func exportFormats() []*export.Format {
	after := slices.IndexFunc(export.Formats, func(f *export.Format) bool { return f.Name == "pprof" })
	return slices.Insert(slices.Clone(export.Formats), after+1, datasetFormat)
}

// formatByName returns a format; nil if there is none of that name.
func formatByName(name string) *export.Format {
	for _, f := range exportFormats() {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// labels are the values of --label: for parquet name=value, what is told of the trace.
func (x *exportCommand) labels() (map[string]string, error) {
	all := map[string]string{}
	for _, l := range x.label {
		name, value, ok := strings.Cut(l, "=")
		if !ok || name == "" {
			return nil, &usageError{"--label " + l + " has no value", "such as --label build=1.2"}
		}
		all[name] = value
	}
	return all, nil
}

// dataset adds the trace to the dataset in a folder.
func (x *exportCommand) dataset(ctx context.Context, r *lazy.LazyTraceReader, to string) error {
	labels, err := x.labels()
	if err != nil {
		return err
	}
	j, err := export.NewJob(r, x.Options)
	if err != nil {
		return err
	}
	p := x.newProgress("exporting")
	s, err := dataset.Write(ctx, j, to, dataset.Options{Force: x.Force, Labels: labels, Writer: "tracex " + version}, p.Update)
	p.End()
	var exists *dataset.ExistsError
	switch {
	case errors.As(err, &exists):
		return withHint(err, "--force replaces it")
	case err != nil:
		return err
	}
	x.tellLeftOut(j)
	what := "written"
	switch {
	case s.Kept:
		what = "is there already"
	case s.Replaced:
		what = "replaced"
	}
	_, err = fmt.Fprintf(x.stdout, "%s: %s, %s, %s\n", printable(s.Path), counted(s.Calls, "call"), humanSize(s.Size()), what)
	return err
}
