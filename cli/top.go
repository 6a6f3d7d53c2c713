package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// topCommand is the command top with its flags.
type topCommand struct {
	*app
	answerFlags
	sort, by string
	at       place // of the argument
}

func newTopCommand(a *app) *cobra.Command {
	t := &topCommand{app: a}
	c := &cobra.Command{
		Use:   "top FILE",
		Short: "Show which methods take the time",
		Long: "Show a table of methods: their own time (self), that of outermost calls with everything in them (total), calls, and how many threw. " +
			"In a trace without times, events are counted instead (own, events).",
		Example: `tracex top trace.bin
tracex top --by class --sort total 'trace.bin#1204' # below an event
tracex top --sort p99 --from 1.2s --where 'pkg=com.shop.*' trace.bin
tracex top --json -n 0 trace.bin | jq 'select(.threw > 0)'`,
		Args: a.oneTrace,
	}
	t.add(c, "rows", 30)
	t.addWhere(c, "calls that match")
	c.Flags().StringVar(&t.sort, "sort", "self", strings.Join(query.TopSorts, ", "))
	c.Flags().StringVar(&t.by, "by", "method", "a row for each "+strings.Join(query.Bys[:], ", "))
	complete(c, "sort", query.TopSorts...)
	complete(c, "by", query.Bys[:]...)
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		path, t.at = splitPlace(path)
		if err := t.check(); err != nil {
			return err
		}
		by, ok := query.ParseBy(t.by)
		if !ok {
			return &usageError{"--by must be " + oneOf(query.Bys[:]) + ", not " + t.by, ""}
		}
		if !slices.Contains(query.TopSorts, t.sort) {
			return &usageError{"--sort must be " + oneOf(query.TopSorts) + ", not " + t.sort, ""}
		}
		return a.withOpened(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error {
			if top := t.recall(r, by); top != nil {
				made := t.table(top)
				return cmp.Or(t.print(a, made), t.verdict(int64(made.Rows.Len()), made.Row))
			}
			if err := a.untilRead(ctx, r); err != nil {
				return err
			}
			return timely(a, r, func() error { return t.show(ctx, r, by) })
		})
	})
	return c
}

// recall returns the answer that the summary of the trace has; nil if it has none.
func (t *topCommand) recall(r *lazy.LazyTraceReader, by query.By) *query.Top {
	if t.at.given || t.in != "" || len(t.steps) > 0 || t.where != "" || t.flags.Changed("from") || t.flags.Changed("to") {
		return nil
	}
	scope := query.Scope{Raw: t.raw}
	if thread, err := t.thread.find(context.Background(), r); err != nil {
		return nil
	} else if thread != nil {
		scope.Ranges = []lazy.PassRange{{Thread: *thread, To: -1}}
	}
	if top := query.NewTop(r, scope, by); top.Sorts(t.sort) && top.Recall() {
		return top
	}
	return nil
}

// table returns the table.
func (t *topCommand) table(top *query.Top) *table.Table {
	return top.Table(query.View{Sort: t.sort, Done: 1, G: &display.Unicode})
}

// show prints the table.
func (t *topCommand) show(ctx context.Context, r *lazy.LazyTraceReader, by query.By) error {
	scope, err := t.scope(ctx, r, t.at)
	if err != nil {
		return err
	}
	top := query.NewTop(r, scope, by)
	switch {
	case top.Sorts(t.sort):
	case t.sort == "waiting" && top.Sorts("mean"):
		return &usageError{"this trace does not tell where goroutines waited: --sort waiting cannot be used", "record --waits makes one that does"}
	default:
		return &usageError{"this trace has no times: --sort " + t.sort + " cannot be used", "--sort self sorts by own events, --sort total by events"}
	}
	return t.give(ctx, t.app, r, answer{run: over(r, &scope, top), table: func() *table.Table { return t.table(top) }})
}

// mostExceptions bounds how many exceptions are listed one by one.
const mostExceptions = 100_000

func newThrowsCommand(a *app) *cobra.Command {
	var f answerFlags
	var list bool
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
	c.RunE = func(c *cobra.Command, args []string) error {
		path, at := splitPlace(args[0])
		if err := f.check(); err != nil {
			return err
		}
		return f.ask(c, a, path, at, func(_ context.Context, r *lazy.LazyTraceReader, scope query.Scope) (answer, error) {
			throws := query.NewThrows(r, scope, mostExceptions)
			return answer{run: over(r, &scope, throws), table: func() *table.Table {
				return throws.Table(query.View{List: list, Done: 1, G: &display.Unicode})
			}}, nil
		})
	}
	return c
}
