package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// answerFlags are the flags that all answers share: which part of the trace they are about, how
// much of them is printed and how, and what a script expects of them.
type answerFlags struct {
	raw         bool
	thread      int32 // as printed, from 1; 0 for all
	in          string
	from, to    string // ends of the axis, see axisPlace
	events      bool   // they are numbers of events
	limit       int
	json, csv   bool
	expect, max int64
	steps       query.Steps
	where       string
	flags       *pflag.FlagSet
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
	flags := c.Flags()
	f.flags = flags
	flags.BoolVar(&f.raw, "raw", false, "all recorded events, including compiler-generated ones")
	flags.Int32Var(&f.thread, "thread", 0, "only thread N, as in \"# Thread N\"")
	flags.StringVar(&f.in, "in", "", "only what is below a place, such as '#1204'")
	flags.StringVar(&f.from, "from", "", "only from a time on, such as 1.2s; without times an event")
	flags.StringVar(&f.to, "to", "", "only until a time, or before an event")
	flags.IntVarP(&f.limit, "limit", "n", limit, "print at most N "+things+"; 0 for all")
	flags.BoolVar(&f.json, "json", false, "one JSON object per line and row")
	flags.BoolVar(&f.csv, "csv", false, "comma-separated values")
	flags.Int64Var(&f.expect, "expect", 0, "exit with 5 unless there are exactly N "+things)
	flags.Int64Var(&f.max, "max", 0, "exit with 5 if there are more than N "+things)
	for kind, usage := range [...]string{
		query.Focus:     "calls become roots, and only what is below them is left",
		query.Merge:     "leave calls out: what they call takes their place, their own time becomes their caller's",
		query.Drop:      "leave calls out with all below them, and with their time",
		query.Only:      "merge all calls but these, and leave out the reads, writes and loops of those merged",
		query.Recursion: "in paths, leave out what is between the outermost and the innermost call of a method",
	} {
		flags.Var(&stepFlag{&f.steps, query.StepKind(kind)}, query.StepKind(kind).String(), usage)
	}
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
func (f *answerFlags) filter(ctx context.Context, r *lazy.TraceReader, s *query.Scope) error {
	if f.where == "" {
		return nil
	}
	e, err := parseFilter(f.where)
	if err != nil {
		return err
	}
	return filterError(s.Where(ctx, r, e))
}

// stepFlag is a flag that adds a step each time it is given: all of a command in one list.
type stepFlag struct {
	steps *query.Steps
	kind  query.StepKind
}

// Set is for the parser of flags.
func (f *stepFlag) Set(text string) error {
	s, err := query.ParseStep(f.kind, text)
	if err == nil {
		*f.steps = append(*f.steps, s)
	}
	return err
}

// Type is for the parser of flags.
func (f *stepFlag) Type() string { return answerArguments[f.kind.String()] }

// String returns the value before the command line is read: none.
func (f *stepFlag) String() string { return "" }

// check refuses numbers out of range and flags that contradict each other.
func (f *answerFlags) check() error {
	for _, n := range []struct {
		flag         string
		value, least int64
	}{{"thread", int64(f.thread), 1}, {"limit", int64(f.limit), 0}, {"expect", f.expect, 0}, {"max", f.max, 0}} {
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
func (f *answerFlags) scope(ctx context.Context, r *lazy.TraceReader, at place) (s query.Scope, err error) {
	s.Raw = f.raw
	if f.thread > 0 {
		if err := hasThread(r, f.thread-1); err != nil {
			return s, err
		}
		s.Ranges = []lazy.PassRange{{Thread: f.thread - 1, To: -1}}
	}
	within, err := f.within(r)
	if err != nil {
		return s, err
	}
	if f.in != "" {
		if at.given {
			return s, &usageError{"--in and " + at.handle.String() + " exclude each other", "both name the part to look at"}
		}
		if at.handle, err = placeArgument(f.in); err != nil {
			return s, err
		}
		at.given = true
	}
	if at.given {
		if err = s.In(ctx, r, at.handle); errors.Is(err, query.ErrHidden) {
			err = withHint(err, "--raw takes what was recorded")
		}
	}
	if err == nil {
		err = stepError(s.Edit(ctx, r, append(within, f.steps...)))
	}
	if err == nil {
		err = f.filter(ctx, r, &s)
	}
	return s, err
}

// within returns the step that leaves what --from and --to name; none without them.
func (f *answerFlags) within(r *lazy.TraceReader) (query.Steps, error) {
	if !f.flags.Changed("from") && !f.flags.Changed("to") {
		return nil, nil
	}
	_, timed := r.Times()
	from, to, err := axisPlaces(f.from, f.to, timed)
	if err != nil {
		return nil, err
	}
	f.events = !timed
	return query.Steps{query.RangeStep(timed, from, to)}, nil
}

// stepError makes an error about a step one of usage, with the nearest names.
func stepError(err error) error {
	var step *query.StepError
	if !errors.As(err, &step) {
		return err
	}
	text := "--" + step.Step.Kind.String() + " " + step.Step.Text + ": "
	var none *query.NoMethodError
	var fault *filter.Error
	switch {
	case errors.As(err, &none):
		return &usageError{text + none.Error(), methodHint(none)}
	case errors.As(err, &fault):
		return &usageError{text + fault.Error(), "tracex help filter"}
	case errors.Is(err, query.ErrHidden):
		return withHint(err, "--raw takes what was recorded")
	}
	return err
}

// methodHint tells how a method is named, or which ones are spelled alike.
func methodHint(e *query.NoMethodError) string {
	if len(e.Near) > 0 {
		return "the nearest: " + strings.Join(e.Near, ", ")
	}
	return "a method is named get, HashMap.get, java.util.HashMap.get or new HashMap"
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
func (a *app) collect(ctx context.Context, r *lazy.TraceReader, scope *query.Scope, list ...lazy.Collector) error {
	p := a.newProgress("reading")
	defer p.end()
	pass := scope.Over(list...)
	pass.Progress = p.update
	return r.Pass(ctx, pass)
}
