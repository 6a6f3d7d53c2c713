package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// callersCommand is the command callers with its flags.
type callersCommand struct {
	*app
	answerFlags
	query.CallersOptions
	by string
}

func newCallersCommand(a *app) *cobra.Command {
	t := &callersCommand{app: a}
	c := &cobra.Command{
		Use:   "callers FILE METHOD",
		Short: "Show who calls a method, or what it calls",
		Long:  "Show the paths by which a method is called, with the part of its time that each has; with --callees, the paths of calls below it.",
		Example: `tracex callers trace.bin HashMap.get
tracex callers --callees --depth 3 trace.bin Controller.handle
tracex callers --where 'ret<0' trace.bin withdraw    # who makes it fail`,
		Args: fileAnd("method", "METHOD"),
	}
	t.add(c, "rows", 50)
	t.addWhere(c, "calls of METHOD that match")
	c.Flags().BoolVar(&t.Callees, "callees", false, "what the method calls")
	c.Flags().StringVar(&t.by, "by", "total", "callers by total or self")
	c.Flags().IntVar(&t.Depth, "depth", 5, "longest path, in calls")
	complete(c, "by", "total", "self")
	c.RunE = func(c *cobra.Command, args []string) error {
		path, at := splitPlace(args[0])
		t.Method = args[1]
		if err := t.check(); err != nil {
			return err
		}
		switch {
		case t.by != "total" && t.by != "self":
			return &usageError{"--by must be total or self, not " + t.by, ""}
		case t.by == "self" && t.Callees:
			return &usageError{"--by self and --callees exclude each other", "callees are by total"}
		case t.Depth < 1:
			return &usageError{fmt.Sprintf("--depth is %d; it must be at least 1", t.Depth), ""}
		}
		t.Self = t.by == "self"
		return t.ask(c, a, path, at, t.answer)
	}
	return c
}

// answer makes the paths.
func (t *callersCommand) answer(_ context.Context, r *lazy.LazyTraceReader, scope query.Scope) (x answer, err error) {
	callers, err := query.NewCallers(r, scope, t.CallersOptions)
	var none *query.NoMethodError
	if errors.As(err, &none) {
		return x, withHint(err, methodHint(none))
	}
	if err != nil {
		return x, err
	}
	return answer{run: over(r, &scope, callers), table: func() *table.Table { return callers.Table(query.View{Done: 1, G: &display.Unicode}) }}, nil
}
