package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// answerFlags are the flags that all answers share: which part of the trace they are about, how
// much of them is printed and how, and what a script expects of them.
type answerFlags struct {
	scopeFlags
	tableFlags
	limit       int
	expect, max int64
	where       string
	asked       []*filter.Expr // the filters of the answer
}

// add defines the flags of a command whose rows are things, such as "methods".
func (f *answerFlags) add(c *cobra.Command, things string, limit int) {
	f.scopeFlags.add(c)
	flags := c.Flags()
	flags.IntVarP(&f.limit, "limit", "n", limit, "print at most N "+things+"; 0 for all")
	f.tableFlags.add(c)
	flags.Int64Var(&f.expect, "expect", 0, "exit with 5 unless there are exactly N "+things)
	flags.Int64Var(&f.max, "max", 0, "exit with 5 if there are more than N "+things)
	for _, name := range []string{"thread", "expect", "max"} {
		flags.Lookup(name).DefValue = "" // help would show 0
	}
	markShared(flags, answerMark, map[string]string{"limit": "N", "json": "", "csv": "", "expect": "N", "max": "N"})
}

// addWhere defines the flag of a command that takes a filter: only what it matches counts.
func (f *answerFlags) addWhere(c *cobra.Command, what string) {
	c.Flags().StringVar(&f.where, "where", "", "only "+what+" a filter: 'dur>1ms'")
}

// filter limits a scope to what matches --where.
func (f *answerFlags) filter(ctx context.Context, r *lazy.LazyTraceReader, s *query.Scope) error {
	if f.where == "" {
		return nil
	}
	e, err := f.parse(f.where)
	if err != nil {
		return err
	}
	return filterError(s.Where(ctx, r, e))
}

// check refuses numbers out of range and flags that contradict each other.
func (f *answerFlags) check() error {
	if err := cmp.Or(f.scopeFlags.check(), tooSmall(f.flags, "limit", int64(f.limit), 0), tooSmall(f.flags, "expect", f.expect, 0), tooSmall(f.flags, "max", f.max, 0)); err != nil {
		return err
	}
	both := func(a, b string) error {
		if f.flags.Changed(a) && f.flags.Changed(b) {
			return &usageError{"--" + a + " and --" + b + " exclude each other", ""}
		}
		return nil
	}
	err := errors.Join(both("json", "csv"), both("expect", "max"))
	if err == nil && f.where != "" {
		_, err = parseFilter(f.where) // before the trace is read
	}
	return err
}

// scope returns the part of a trace that the flags name. at is a place from the argument.
func (f *answerFlags) scope(ctx context.Context, r *lazy.LazyTraceReader, at place) (query.Scope, error) {
	s, err := f.scopeFlags.scope(ctx, r, at)
	if err == nil {
		err = f.filter(ctx, r, &s)
	}
	return s, err
}

// answer is a question about a scope that is to be answered.
type answer struct {
	run   func(ctx context.Context, tell lazy.Progress) error
	fault func(err error) error // makes an error of run one with advice; may be nil
	table func() *table.Table
	// print writes the table; nil for that of the flags. found is how many rows were found, if the table has not all of
	// them. verdict compares what was found with what was expected; nil for found.
	print   func(t *table.Table) error
	found   func() int64
	verdict func(t *table.Table) error
}

// give runs an answer, prints it, and checks what was expected of it. If the trace is damaged, it is the answer about
// the undamaged part, and the damage is reported after it.
func (f *answerFlags) give(ctx context.Context, a *app, r *lazy.LazyTraceReader, x answer) error {
	p := a.newProgress("reading")
	err := x.run(ctx, p.Update)
	p.End()
	if err != nil && x.fault != nil {
		err = x.fault(err)
	}
	if err == nil {
		err = a.remarkFiles(r)
	}
	if err != nil {
		return err
	}
	problem, t := r.Status().Problem, x.table()
	if x.print == nil {
		x.print = func(t *table.Table) error { return f.print(a, t) }
	}
	err = x.print(t)
	if err = cmp.Or(query.RowsErr(t), err); err != nil {
		return err
	}
	f.hint(a)
	switch {
	case x.verdict != nil:
		return errors.Join(x.verdict(t), problem)
	case x.found != nil:
		return errors.Join(f.verdict(x.found(), t.Row), problem)
	}
	return cmp.Or(f.verdict(int64(t.Rows.Len()), t.Row), problem)
}

// over returns a run of collectors over a scope.
func over(r *lazy.LazyTraceReader, scope *query.Scope, list ...lazy.Collector) func(context.Context, lazy.Progress) error {
	return func(ctx context.Context, tell lazy.Progress) error {
		pass := scope.Over(list...)
		pass.Progress = tell
		return r.Pass(ctx, pass)
	}
}

// ask opens the trace at path and makes an answer about the part that the flags, or a place after the path, name.
func (f *answerFlags) ask(c *cobra.Command, a *app, path string, at place, about func(ctx context.Context, r *lazy.LazyTraceReader, scope query.Scope) (answer, error)) error {
	ctx := c.Context()
	return a.withTrace(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error {
		scope, err := f.scope(ctx, r, at)
		if err != nil {
			return err
		}
		x, err := about(ctx, r, scope)
		if err != nil {
			return err
		}
		return f.give(ctx, a, r, x)
	})
}

// print prints an answer.
func (f *answerFlags) print(a *app, t *table.Table) error {
	f.steps.Tell(t, &display.Unicode)
	if f.events {
		t.Notes = append(t.Notes, query.RangeNote)
	}
	more, err := f.tableFlags.write(a, t, f.limit)
	if err == nil {
		a.tellMore(more)
	}
	return err
}

// tellMore remarks how many rows were not printed, which is not part of the data.
func (a *app) tellMore(more int) {
	if more > 0 {
		a.remark("output is limited", fmt.Errorf("%s more (--limit 0 prints all)", display.Grouped(int64(more))))
	}
}

// tableFlags are the flags that say how a table is printed.
type tableFlags struct{ json, csv bool }

func (f *tableFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.json, "json", false, "one JSON object per line and row")
	c.Flags().BoolVar(&f.csv, "csv", false, "comma-separated values")
	c.Annotations = map[string]string{answerMark: "yes"}
}

// check refuses flags that contradict each other.
func (f *tableFlags) check() error {
	if f.json && f.csv {
		return &usageError{"--json and --csv exclude each other", ""}
	}
	return nil
}

// write prints a table. more is how many rows the limit leaves out of data; a text tells it itself.
func (f *tableFlags) write(a *app, t *table.Table, limit int) (more int, err error) {
	switch {
	case f.json:
		return table.WriteJSON(a.stdout, t, limit)
	case f.csv:
		return table.WriteCSV(a.stdout, t, limit)
	}
	return 0, table.WriteText(a.stdout, t, table.Options{Width: a.width(), Limit: limit, Glyphs: &display.Unicode})
}

// verdict compares the number of rows with what was expected.
func (f *answerFlags) verdict(n int64, row string) error {
	switch {
	case f.flags.Changed("expect") && n != f.expect:
		return &unexpectedError{fmt.Sprintf("%s, but expected %s", counted(n, row), display.Grouped(f.expect))}
	case f.flags.Changed("max") && n > f.max:
		return &unexpectedError{fmt.Sprintf("%s, but at most %s allowed", counted(n, row), display.Grouped(f.max))}
	}
	return nil
}

// parse parses a filter of the answer.
func (f *answerFlags) parse(text string) (*filter.Expr, error) {
	e, err := parseFilter(text)
	if err == nil {
		f.asked = append(f.asked, e)
	}
	return e, err
}

// hint tells which captured values that filters ask for were in no value.
func (f *answerFlags) hint(a *app) {
	for _, e := range f.asked {
		for _, l := range e.Lost() {
			fmt.Fprintln(a.stderr, "hint: "+printable(l.Hint()))
		}
	}
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
