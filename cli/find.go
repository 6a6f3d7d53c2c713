package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
)

func newFindCommand(a *app) *cobra.Command {
	var f answerFlags
	first := 0
	c := &cobra.Command{
		Use:   "find FILE FILTER",
		Short: "Find events by name, value, result, duration …",
		Long:  "Find the events that match a filter, such as 'method=withdraw ret<0' or 'dur>10ms -in(Cache.get)'. tracex help filter describes the language.",
		Example: `tracex find trace.bin 'method=withdraw ret<0'
tracex find trace.bin 'exc~Timeout' --expect 0    # exit code 5 if any
tracex find trace.bin 'kind=call dur>10ms' --json -n 0`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.oneTrace(c, args)
			}
			if len(args) == 1 {
				return &usageError{"find: missing FILTER", "such as 'method=withdraw ret<0'; tracex help filter"}
			}
			return a.oneTrace(c, args[:1])
		},
	}
	f.add(c, "events", 50)
	c.Flags().IntVar(&first, "first", 0, "stop reading after N matches")
	c.Flags().Lookup("first").DefValue = ""
	c.RunE = func(c *cobra.Command, args []string) error {
		path, at := splitPlace(args[0])
		where, err := parseFilter(strings.Join(args[1:], " "))
		if err = errors.Join(err, f.check()); err != nil {
			return err
		}
		if first < 0 {
			return &usageError{fmt.Sprintf("--first is %d; it must be at least 0", first), ""}
		}
		ctx := c.Context()
		return a.withTrace(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error {
			scope, err := f.scope(ctx, r, at)
			if err != nil {
				return err
			}
			find := query.NewFind(r, scope.Pass(), where, first)
			find.Edit(scope)
			return a.findEvents(ctx, r, &f, find)
		})
	}
	return c
}

// findEvents finds and prints.
func (a *app) findEvents(ctx context.Context, r *lazy.LazyTraceReader, f *answerFlags, find *query.Find) error {
	p := a.newProgress("reading")
	err := find.Run(ctx, p.Update)
	p.End()
	if err != nil {
		return filterError(err)
	}
	if err := a.remarkFiles(r); err != nil {
		return err
	}
	problem := r.Status().Problem
	t := find.Table(query.View{Done: 1, Read: ctx, G: &display.Unicode})
	err = f.print(a, t)
	if rows := query.RowsErr(t); rows != nil {
		return rows
	}
	if err != nil {
		return err
	}
	n, beyond := find.Set.Count()
	return errors.Join(f.verdict(int64(n)+beyond, t.Row), problem)
}

// parseFilter parses a filter.
func parseFilter(text string) (*filter.Expr, error) {
	e, err := filter.Parse(text)
	if err != nil {
		return nil, filterError(err)
	}
	return e, nil
}

// filterError makes an error of a filter one of usage.
func filterError(err error) error {
	var fault *filter.Error
	if !errors.As(err, &fault) {
		return err
	}
	return &usageError{"filter " + fault.Error(), "tracex help filter"}
}
