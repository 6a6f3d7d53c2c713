package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
)

// mostExceptions bounds how many exceptions are listed one by one.
const mostExceptions = 100_000

func newThrowsCommand(a *app) *cobra.Command {
	var f answerFlags
	var list bool
	var at place
	c := &cobra.Command{
		Use:   "throws FILE",
		Short: "Show where exceptions were thrown and caught",
		Long:  "Show exceptions: where they were thrown, how many calls ended by them, and which call caught them. A row is for all that were thrown and caught in the same methods.",
		Example: `tracex throws trace.bin
tracex throws --list --json -n 0 trace.bin
tracex throws --where 'method=parse' --from 1.2s trace.bin
tracex throws --expect 0 trace.bin    # exit code 5 if there are any`,
		Args: a.oneTrace,
	}
	f.add(c, "rows", 50)
	f.addWhere(c, "exceptions thrown by what matches")
	c.Flags().BoolVar(&list, "list", false, "a row for each exception")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		path, at = splitPlace(path)
		if err := f.check(); err != nil {
			return err
		}
		return a.withTrace(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error {
			scope, err := f.scope(ctx, r, at)
			if err != nil {
				return err
			}
			throws := query.NewThrows(r, scope, mostExceptions)
			if err := a.collect(ctx, r, &scope, throws); err != nil {
				return err
			}
			if err := a.remarkFiles(r); err != nil {
				return err
			}
			problem := r.Status().Problem
			if err := f.write(a, throws.Table(query.View{List: list, Done: 1, G: &display.Unicode})); err != nil {
				return err
			}
			return problem // reported after the answer
		})
	})
	return c
}
