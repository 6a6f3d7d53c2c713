package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
	"tracex/lazy/query/template"
)

// callsCommand is the command calls with its flags.
type callsCommand struct {
	*app
	answerFlags
	query.CallsOptions
	where, format string
	template      *template.Template // nil without --format
	at            place              // of the argument
}

func newCallsCommand(a *app) *cobra.Command {
	t := &callsCommand{app: a}
	c := &cobra.Command{
		Use:   "calls FILE METHOD|FILTER",
		Short: "Show all calls of a method with their values",
		Long:  "Show all calls of a method or filter; kind=iteration: iterations of a loop.",
		Example: `tracex calls trace.bin Account.withdraw --sort arg.1
tracex calls t.bin Dao.query --by caller.event --max 10    # N+1: exit 5
tracex calls t.bin 'class=Dao threw' --format '{method}({arg}): {exc}'`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.oneTrace(c, args)
			}
			if len(args) == 1 || slices.Contains(args, "") {
				return &usageError{"calls needs a file and a method or filter", c.CommandPath() + " FILE METHOD"}
			}
			return a.oneTrace(c, args[:1])
		},
	}
	t.add(c, "calls", 50)
	f := c.Flags()
	f.StringVar(&t.where, "where", "", "only calls that match a filter")
	f.StringVar(&t.By, "by", "", "a row for each value of arg.1, ret, recv, thread, caller …")
	f.StringArrayVar(&t.Cols, "col", nil, "one more column: iter, line, arg.1.FIELD as captured; repeatable")
	f.StringVar(&t.Sort, "sort", "", "order: dur, self, events, arg.1, ret, thread, caller, start …")
	f.BoolVar(&t.Reverse, "reverse", false, "the other way round; times and counts begin with the largest")
	f.StringVar(&t.format, "format", "", "print '{thread} {arg.1} -> {ret|exc}' for each call")
	complete(c, "by", query.CallGroups()...)
	complete(c, "sort", query.CallSorts()...)
	c.RunE = func(c *cobra.Command, args []string) error {
		path, at := splitPlace(args[0])
		t.at, t.What = at, strings.Join(args[1:], " ")
		if err := t.check(); err != nil {
			return err
		}
		if t.iterations() {
			return a.withTrace(c.Context(), path, func(_ *input, r *lazy.LazyTraceReader) error { return t.showIterations(c.Context(), r) })
		}
		return t.ask(c, a, path, at, t.answer)
	}
	return c
}

// check refuses flags that contradict each other.
func (t *callsCommand) check() (err error) {
	if err := t.answerFlags.check(); err != nil {
		return err
	}
	if t.where != "" {
		if t.Where, err = parseFilter(t.where); err != nil {
			return err
		}
	}
	if t.By != "" && len(t.Cols) > 0 {
		return &usageError{"--by and --col exclude each other", "--by takes the name of such a column, too: a row for each of its values"}
	}
	if t.format == "" {
		return nil
	}
	switch {
	case len(t.Cols) > 0:
		return &usageError{"--format and --col exclude each other", "--format writes values by their names, such as {arg.1}"}
	case t.By != "":
		return &usageError{"--format and --by exclude each other", "--format writes calls, one by one"}
	case t.json || t.csv:
		return &usageError{"--format excludes --json and --csv", ""}
	}
	if t.template, err = template.Parse(t.format); err != nil {
		return &usageError{"--format " + err.Error(), "tracex help filter lists the fields"}
	}
	return nil
}

// answer makes the calls.
func (t *callsCommand) answer(ctx context.Context, r *lazy.LazyTraceReader, scope query.Scope) (x answer, err error) {
	calls, err := query.NewCalls(r, scope, t.CallsOptions)
	if err != nil {
		return x, callsError(err)
	}
	t.asked = append(t.asked, calls.Where())
	x = answer{run: calls.Run, fault: filterError,
		table:   func() *table.Table { return calls.Table(query.View{Done: 1, Read: ctx, G: &display.Unicode}) },
		verdict: func(made *table.Table) error { return t.verdict(calls, made.Row) }}
	if t.template != nil {
		x.print = func(made *table.Table) error {
			more, err := calls.WriteFormat(ctx, t.stdout, made, t.template, t.limit, &display.Unicode)
			if err == nil {
				t.tellMore(more)
			}
			return err
		}
	}
	return x, nil
}

// verdict compares the number of calls with what was expected: of all, or, with --by, of each row.
func (t *callsCommand) verdict(calls *query.Calls, row string) error {
	if t.By == "" {
		return t.answerFlags.verdict(calls.Found(), row)
	}
	low, high, sure := calls.Extremes()
	in := func(n int64) error {
		wanted := "expected " + display.Grouped(t.expect)
		if t.flags.Changed("max") {
			wanted = "at most " + display.Grouped(t.max) + " allowed"
		}
		return &unexpectedError{fmt.Sprintf("a row has %s, but %s", counted(n, "call"), wanted)}
	}
	switch maxed, expected := t.flags.Changed("max"), t.flags.Changed("expect"); {
	case high == 0: // no row
	case maxed && high > t.max, expected && high != t.expect:
		return in(high)
	case expected && low != t.expect:
		return in(low)
	case !sure && (maxed || expected):
		return errors.New("too many values differ to tell how many calls each has: --where or --in limits them")
	}
	return nil
}

// callsError adds a hint to an error of calls.
func callsError(err error) error {
	var none *query.NoMethodError
	var column *query.ColumnError
	switch {
	case errors.As(err, &none):
		hint := methodHint(none)
		if len(none.Near) == 0 {
			hint += "; a filter has fields, such as class=HashMap threw"
		}
		return withHint(err, hint)
	case errors.As(err, &column):
		return &usageError{column.Error(), query.Hint(err)}
	}
	return filterError(err)
}

// iterations reports whether the calls asked for are the iterations of a loop.
func (t *callsCommand) iterations() bool {
	e, err := filter.Parse(t.What)
	return err == nil && e.String() == "kind=iteration"
}

// showIterations prints the iterations of the loop at a place, or of the innermost one around it; if the
// trace is damaged, those of its undamaged part.
func (t *callsCommand) showIterations(ctx context.Context, r *lazy.LazyTraceReader) error {
	in := t.at
	switch {
	case t.in != "" && in.given:
		return &usageError{"--in and " + in.handle.String() + " exclude each other", "both name the loop"}
	case t.where != "" || t.By != "" || t.format != "" || len(t.Cols) > 0:
		return &usageError{"iterations take neither --where nor --by nor --col nor --format", ""}
	case t.in != "":
		h, err := placeArgument(t.in)
		if err != nil {
			return err
		}
		in = place{h, true}
	case !in.given:
		return &usageError{"kind=iteration needs a loop", "--in '#1204' names it: the loop, or an event in it; tracex find FILE kind=loop lists them"}
	}
	v, err := t.iterationsView(r)
	if err != nil {
		return err
	}
	at, _, err := r.Find(ctx, in.handle)
	if err != nil {
		return err
	}
	loop, ok, err := query.LoopAt(ctx, r, t.raw, at)
	if err != nil {
		return err
	}
	if !ok {
		return withHint(fmt.Errorf("%s is in no loop", in.handle), "tracex find FILE kind=loop lists the loops")
	}
	t.in = "" // scope takes the loop
	scope, err := t.scope(ctx, r, place{lazy.PositionHandle(loop.Position), true})
	if err != nil {
		return err
	}
	found := query.NewIterations(r, scope, loop)
	return t.give(ctx, t.app, r, answer{run: found.Run, found: found.Found, table: func() *table.Table { return found.Table(v) }})
}

// iterationsView returns in which order iterations are shown.
func (t *callsCommand) iterationsView(r *lazy.LazyTraceReader) (v query.View, err error) {
	_, timed := r.Times()
	sorts, key := query.IterationSorts(timed), t.Sort
	switch key {
	case "":
		if t.Reverse {
			key = "iteration"
		}
	case "dur":
		key = "duration"
	case "event":
		key = "iteration"
	}
	if key != "" && !slices.Contains(sorts, key) {
		return v, &usageError{"iterations cannot be sorted by " + t.Sort, "there are " + strings.Join(sorts, ", ")}
	}
	return query.View{Sort: key, Rising: query.IterationsRise(key) != t.Reverse, Done: 1, G: &display.Unicode}, nil
}

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
		}
		if err := tooSmall(t.flags, "depth", int64(t.Depth), 1); err != nil {
			return err
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
