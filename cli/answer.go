package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// answerFlags are the flags that all answers share: which part of the trace they are about, how
// much of them is printed and how, and what a script expects of them.
type answerFlags struct {
	scopeFlags
	limit       int
	json, csv   bool
	expect, max int64
	where       string
}

// answerMark marks commands that are answers, and the flags that all of them have, with the
// argument that help shows.
const answerMark = "answer"

var answerArguments = map[string]string{
	"raw": "", "thread": "N", "in": "PLACE", "from": "TIME", "to": "TIME", "limit": "N", "json": "", "csv": "", "expect": "N", "max": "N",
	"focus": "CALLS", "merge": "CALLS", "drop": "CALLS", "only": "CALLS", "recursion": "METHOD",
}

// add defines the flags of a command whose rows are things, such as "methods".
func (f *answerFlags) add(c *cobra.Command, things string, limit int) {
	f.scopeFlags.add(c)
	flags := c.Flags()
	flags.IntVarP(&f.limit, "limit", "n", limit, "print at most N "+things+"; 0 for all")
	flags.BoolVar(&f.json, "json", false, "one JSON object per line and row")
	flags.BoolVar(&f.csv, "csv", false, "comma-separated values")
	flags.Int64Var(&f.expect, "expect", 0, "exit with 5 unless there are exactly N "+things)
	flags.Int64Var(&f.max, "max", 0, "exit with 5 if there are more than N "+things)
	c.Annotations = map[string]string{answerMark: "yes"}
	for name, argument := range answerArguments {
		flag := flags.Lookup(name)
		if name != "limit" {
			flag.DefValue = "" // help would show 0
		}
		flag.Annotations = map[string][]string{answerMark: {argument}}
	}
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
	e, err := parseFilter(f.where)
	if err != nil {
		return err
	}
	return filterError(s.Where(ctx, r, e))
}

// check refuses numbers out of range and flags that contradict each other.
func (f *answerFlags) check() error {
	if err := f.scopeFlags.check(); err != nil {
		return err
	}
	for _, n := range []struct {
		flag         string
		value, least int64
	}{{"limit", int64(f.limit), 0}, {"expect", f.expect, 0}, {"max", f.max, 0}} {
		if f.flags.Changed(n.flag) && n.value < n.least {
			return &usageError{fmt.Sprintf("--%s is %d; it must be at least %d", n.flag, n.value, n.least), ""}
		}
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

// write prints an answer and checks what was expected of it.
func (f *answerFlags) write(a *app, t *table.Table) error {
	if err := f.print(a, t); err != nil {
		return err
	}
	return f.verdict(int64(t.Rows.Len()), t.Row)
}

// print prints an answer.
func (f *answerFlags) print(a *app, t *table.Table) error {
	var err error
	more := 0
	f.steps.Tell(t, &display.Unicode)
	if f.events {
		t.Notes = append(t.Notes, query.RangeNote)
	}
	switch {
	case f.json:
		more, err = table.WriteJSON(a.stdout, t, f.limit)
	case f.csv:
		more, err = table.WriteCSV(a.stdout, t, f.limit)
	default:
		err = table.WriteText(a.stdout, t, table.Options{Width: a.width(), Limit: f.limit, Glyphs: &display.Unicode})
	}
	if err != nil {
		return err
	}
	if more > 0 { // not part of the data
		a.remark("output is limited", fmt.Errorf("%s more (--limit 0 prints all)", display.Grouped(int64(more))))
	}
	return nil
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

// unexpectedError tells that an answer is not what a script expects.
type unexpectedError struct{ text string }

func (e *unexpectedError) Error() string { return e.text }

// width returns the width of the terminal that standard output is; 0 if it is none.
func (a *app) width() int {
	if w, _, err := term.GetSize(int(a.stdout.Fd())); err == nil && w > 0 {
		return w
	}
	return 0
}

// collect runs the collectors of an answer over its scope, with a progress bar.
func (a *app) collect(ctx context.Context, r *lazy.LazyTraceReader, scope *query.Scope, list ...lazy.Collector) error {
	p := a.newProgress("reading")
	defer p.End()
	pass := scope.Over(list...)
	pass.Progress = p.Update
	return r.Pass(ctx, pass)
}
