package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/golden"
	"tracex/lazy/query"
)

// goldenCommand is the command golden with its flags and subcommands.
type goldenCommand struct {
	*app
	golden.Options
	dir    string
	update bool
}

func newGoldenCommand(a *app) *cobra.Command {
	g := &goldenCommand{app: a}
	c := &cobra.Command{
		Use:   "golden",
		Short: "Keep what a program did, and check it",
		Long: "Keep the calls of a trace as a small text file in a repository, testdata/golden/NAME" + golden.Suffix + ", and tell what is different in a new recording: " +
			"which calls, nested as they were, and how they ended, without times and identities. tracex help differences has an example.",
		Example: `tracex golden save orders trace.bin --only 'pkg=com.shop.*'
tracex golden check orders trace.bin    # exit code 5 if something differs`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{answerMark: "yes"},
	}
	save := &cobra.Command{
		Use:   "save NAME FILE",
		Short: "Write the calls of a trace to a file",
		Example: `tracex golden save orders trace.bin --only 'pkg=com.shop.*'
tracex golden save -C testdata all trace.bin --depth 3`,
		Args: goldenArguments,
		RunE: func(c *cobra.Command, args []string) error { return g.run(c, args, g.save) },
	}
	check := &cobra.Command{
		Use:   "check NAME FILE",
		Short: "Compare a trace with its golden trace",
		Example: `tracex golden check orders trace.bin
tracex golden check --update orders trace.bin # what it does now is right`,
		Args: goldenArguments,
		RunE: func(c *cobra.Command, args []string) error { return g.run(c, args, g.check) },
	}
	check.Flags().BoolVar(&g.update, "update", false, "write the file again, with the options that it has")
	f := save.Flags()
	f.StringVar(&g.Only, "only", "", "only these calls, a method or a filter: 'pkg=com.shop.*'")
	f.BoolVar(&g.Values, "values", false, "with arguments and results")
	f.IntVar(&g.Limit, "limit", golden.DefaultLimit, "refuse a file of more than N lines")
	f.IntVar(&g.Depth, "depth", 0, "list N levels; of what is below, the number of calls and a hash")
	for _, sub := range []*cobra.Command{save, check} {
		sub.Flags().StringVarP(&g.dir, "directory", "C", golden.Dir, "where golden traces are")
	}
	c.AddCommand(save, check)
	return c
}

// goldenArguments checks that there are a name and a file.
func goldenArguments(c *cobra.Command, args []string) error {
	if len(args) != 2 || slices.Contains(args, "") {
		return &usageError{nameOf(c) + " needs a name and a trace", c.CommandPath() + " orders trace.bin"}
	}
	return nil
}

// run opens the trace, and calls then with its golden trace and the path of the one that is kept.
func (g *goldenCommand) run(c *cobra.Command, args []string, then func(ctx context.Context, path string, r *lazy.LazyTraceReader) error) error {
	path, err := golden.Path(g.dir, args[0])
	if err != nil {
		return &usageError{err.Error(), "-C names the directory"}
	}
	if err := cmp.Or(tooSmall(c.Flags(), "limit", int64(g.Limit), 1), tooSmall(c.Flags(), "depth", int64(g.Depth), 1)); err != nil {
		return err
	}
	if g.Only != "" {
		if _, err := query.ParseStep(query.Only, g.Only); err != nil {
			return filterError(err)
		}
	}
	return g.withTrace(c.Context(), args[1], func(_ *input, r *lazy.LazyTraceReader) error { return then(c.Context(), path, r) })
}

// save writes a golden trace. One of a damaged trace would hide what is missing.
func (g *goldenCommand) save(ctx context.Context, path string, r *lazy.LazyTraceReader) error {
	text, err := g.make(ctx, r, g.Options)
	if err == nil {
		err = r.Status().Problem
	}
	if err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = golden.Write(path, text); err == nil {
			fmt.Fprintln(g.stderr, path)
		}
		return err
	}
	if err != nil {
		return err
	}
	return g.replace(path, text, golden.Compare(path, old, text))
}

// replace writes a golden trace in place of the one that is there, and tells how much of it is other; nothing if d is nil. The file is in a
// repository, which has what it was.
func (g *goldenCommand) replace(path string, text []byte, d *golden.Difference) error {
	if d == nil {
		fmt.Fprintf(g.stderr, "%s: unchanged\n", path)
		return nil
	}
	if err := golden.Write(path, text); err != nil {
		return err
	}
	fmt.Fprintf(g.stderr, "%s: replaced, %s\n", path, linesOf(d))
	return nil
}

// linesOf tells how many lines differ.
func linesOf(d *golden.Difference) string {
	return counted(int64(d.Removed), "line") + " gone, " + counted(int64(d.Added), "line") + " new"
}

// make returns the golden trace of a trace.
func (g *goldenCommand) make(ctx context.Context, r *lazy.LazyTraceReader, o golden.Options) ([]byte, error) {
	p := g.newProgress("reading")
	text, err := golden.Make(ctx, r, o, p.Update)
	p.End()
	var large *golden.LargeError
	if errors.As(err, &large) {
		return nil, withHint(err, "--only chooses calls, --depth N lists N levels, --limit N allows more lines")
	}
	if errors.Is(err, golden.ErrFilter) {
		return nil, &usageError{err.Error(), "write --only without line breaks"}
	}
	if err == nil {
		err = g.remarkFiles(r)
	}
	return text, filterError(stepError(err))
}

// check compares a trace with a golden one. What it says about a damaged trace is about what is intact.
func (g *goldenCommand) check(ctx context.Context, path string, r *lazy.LazyTraceReader) error {
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return withHint(err, "tracex golden save makes it")
	}
	if err != nil {
		return err
	}
	o, err := golden.OptionsOf(old)
	if err != nil {
		return withHint(fmt.Errorf("%s: %w", path, err), "tracex golden save makes it again")
	}
	text, err := g.make(ctx, r, o)
	if err != nil {
		return err
	}
	d, problem := golden.Compare(path, old, text), r.Status().Problem
	switch {
	case d == nil:
		return problem
	case g.update && problem == nil:
		return g.replace(path, text, d)
	}
	if _, err := g.stdout.Write(d.Text); err != nil {
		return err
	}
	if problem != nil {
		return problem
	}
	return withHint(&unexpectedError{path + ": " + linesOf(d)},
		"if that is right, --update writes the file again")
}
