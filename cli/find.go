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
	"tracex/lazy/query/table"
	"tracex/lazy/query/template"
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
		where, err := f.parse(strings.Join(args[1:], " "))
		if err = errors.Join(err, f.check()); err != nil {
			return err
		}
		if err := tooSmall(f.flags, "first", int64(first), 0); err != nil {
			return err
		}
		return f.ask(c, a, path, at, func(ctx context.Context, r *lazy.LazyTraceReader, scope query.Scope) (answer, error) {
			find := query.NewFind(r, scope.Pass(), where, first)
			find.Edit(scope)
			return answer{run: find.Run, fault: filterError,
				table: func() *table.Table { return find.Table(query.View{Done: 1, Read: ctx, G: &display.Unicode}) },
				found: func() int64 {
					n, beyond := find.Set.Count()
					return int64(n) + beyond
				}}, nil
		})
	}
	return c
}

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
			points, f.asked = append(points, p), append(f.asked, p.Where)
		}
		if err := f.check(); err != nil {
			return err
		}
		return f.ask(c, a, path, at, func(ctx context.Context, r *lazy.LazyTraceReader, scope query.Scope) (answer, error) {
			l := query.NewLog(r, scope, points)
			return answer{run: l.Run, fault: filterError,
				table: func() *table.Table { return l.Table(query.View{Done: 1, Read: ctx, G: &display.Unicode}) },
				found: func() int64 {
					n, more := l.Count()
					return int64(n) + more
				}}, nil
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
