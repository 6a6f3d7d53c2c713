package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/template"
)

func newLogCommand(a *app) *cobra.Command {
	var f answerFlags
	c := &cobra.Command{
		Use:   "log FILE 'FILTER: \"FORMAT\"' …",
		Short: "Print lines for events, as if the program had logged them",
		Long: "Print a line for each event that matches a filter, in one order over all threads. The format has fields of the filter language in braces; " +
			"without one, the whole line is printed. tracex help filter describes both.",
		Example: `tracex log trace.bin 'method=pay: "{arg.1} -> {ret|exc} in {dur}"'
tracex log trace.bin 'method=pay: "pay {arg}"' 'field=balance: "  {value}"'
tracex log trace.bin 'exc~Timeout: "{exc}"' --max 0  # exit code 5 if any`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return a.oneTrace(c, args)
			case len(args) == 1:
				return &usageError{"log: missing FILTER", `such as 'method=withdraw: "withdraw {arg.1} -> {ret|exc}"'; tracex help filter`}
			case len(args) > 1+query.MostLogPoints:
				return &usageError{fmt.Sprintf("log: more than %d filters", query.MostLogPoints), "join filters with or"}
			}
			return a.oneTrace(c, args[:1])
		},
	}
	f.add(c, "lines", 200)
	c.RunE = func(c *cobra.Command, args []string) error {
		path, at := splitPlace(args[0])
		var points []query.LogPoint
		for _, text := range args[1:] {
			p, err := parseLogPoint(text)
			if err != nil {
				return err
			}
			points = append(points, p)
		}
		if err := f.check(); err != nil {
			return err
		}
		ctx := c.Context()
		return a.withTrace(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error {
			scope, err := f.scope(ctx, r, at)
			if err != nil {
				return err
			}
			return a.log(ctx, r, &f, query.NewLog(r, scope, points))
		})
	}
	return c
}

// parseLogPoint parses an argument of log.
func parseLogPoint(text string) (query.LogPoint, error) {
	p, err := query.ParseLogPoint(text)
	var fault *template.Error
	if errors.As(err, &fault) {
		return p, &usageError{"format: " + fault.Error(), "tracex help filter"}
	}
	if err != nil {
		return p, filterError(err)
	}
	return p, nil
}

// log finds and prints.
func (a *app) log(ctx context.Context, r *lazy.LazyTraceReader, f *answerFlags, l *query.Log) error {
	p := a.newProgress("reading")
	err := l.Run(ctx, p.Update)
	p.End()
	if err != nil {
		return filterError(err)
	}
	if err := a.remarkFiles(r); err != nil {
		return err
	}
	problem := r.Status().Problem
	t := l.Table(query.View{Done: 1, Read: ctx, G: &display.Unicode})
	err = f.print(a, t)
	if rows := query.RowsErr(t); rows != nil {
		return rows
	}
	if err != nil {
		return err
	}
	n, more := l.Count()
	return errors.Join(f.verdict(int64(n)+more, t.Row), problem)
}
