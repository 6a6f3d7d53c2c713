package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/goroutines"
)

// scopeFlags are the flags that say which part of a trace a command is about, and how the tree is
// edited before: those that answers and exports share.
type scopeFlags struct {
	raw      bool
	thread   threadFlag
	in       string
	from, to string // ends of the axis, see axisPlace
	events   bool   // they are numbers of events
	steps    query.Steps
	flags    *pflag.FlagSet
}

// answerMark marks commands that are answers, and the flags that all of them have, with the
// argument that help shows.
const answerMark = "answer"

// add defines the flags of a command.
func (f *scopeFlags) add(c *cobra.Command) {
	flags := c.Flags()
	f.flags = flags
	flags.BoolVar(&f.raw, "raw", false, "all recorded events, including compiler-generated ones")
	flags.Var(&f.thread, "thread", threadUsage)
	flags.StringVar(&f.in, "in", "", "only what is below a place, such as '#1204'")
	flags.StringVar(&f.from, "from", "", "only from a time on, such as 1.2s; without times an event")
	flags.StringVar(&f.to, "to", "", "only until a time, or before an event")
	for kind, usage := range [...]string{
		query.Focus:     "calls become roots, and only what is below them is left",
		query.Merge:     "leave calls out: what they call takes their place, their own time becomes their caller's",
		query.Drop:      "leave calls out with all below them, and with their time",
		query.Only:      "merge all calls but these, and leave out the reads, writes and loops of those merged",
		query.Recursion: "in paths, leave out what is between the outermost and the innermost call of a method",
	} {
		flags.Var(&stepFlag{&f.steps, query.StepKind(kind)}, query.StepKind(kind).String(), usage)
	}
	markShared(flags, answerMark, scopeArguments)
}

// scopeArguments are these flags with the arguments that help shows.
var scopeArguments = map[string]string{
	"raw": "", "thread": "N", "in": "PLACE", "from": "TIME", "to": "TIME",
	"focus": "CALLS", "merge": "CALLS", "drop": "CALLS", "only": "CALLS", "recursion": "METHOD",
}

// markShared marks flags with the arguments that help shows. Help names them in few lines.
func markShared(f *pflag.FlagSet, mark string, arguments map[string]string) {
	for name, argument := range arguments {
		f.Lookup(name).Annotations = map[string][]string{mark: {argument}}
	}
}

// check refuses numbers out of range.
func (f *scopeFlags) check() error {
	return tooSmall(f.flags, "thread", f.thread.number, 1)
}

// tooSmall is the error for a flag with a number below the least; nil if it is not given, or large enough.
func tooSmall(flags *pflag.FlagSet, name string, value, least int64) error {
	if !flags.Changed(name) || value >= least {
		return nil
	}
	return &usageError{fmt.Sprintf("--%s is %d; it must be at least %d", name, value, least), ""}
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
func (f *stepFlag) Type() string { return scopeArguments[f.kind.String()] }

// String returns the value before the command line is read: none.
func (f *stepFlag) String() string { return "" }

// scope returns the part of a trace that the flags name. at is a place from the argument.
func (f *scopeFlags) scope(ctx context.Context, r *lazy.LazyTraceReader, at place) (s query.Scope, err error) {
	s.Raw = f.raw
	if thread, err := f.thread.find(ctx, r); err != nil {
		return s, err
	} else if thread != nil {
		s.Ranges = []lazy.PassRange{{Thread: *thread, To: -1}}
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
		err = rawHint(s.In(ctx, r, at.handle))
	}
	if err == nil {
		err = stepError(s.Edit(ctx, r, append(within, f.steps...)))
	}
	return s, err
}

// within returns the step that leaves what --from and --to name; none without them.
func (f *scopeFlags) within(r *lazy.LazyTraceReader) (query.Steps, error) {
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
	}
	return rawHint(err)
}

// methodHint tells how a method is named, or which ones are spelled alike.
func methodHint(e *query.NoMethodError) string {
	return cmp.Or(query.Hint(e), "a method is named get, HashMap.get, java.util.HashMap.get or new HashMap")
}

// threadUsage is the help of a threadFlag.
const threadUsage = "only thread N, as in \"# Thread N\", or goroutine gN"

// threadFlag is a flag for a thread, by its number, 3 or t3, or by that of its goroutine: g45.
type threadFlag struct {
	number    int64 // 0 if none is given
	goroutine bool
}

// Set is for the parser of flags.
func (f *threadFlag) Set(text string) (err error) {
	if f.number, f.goroutine = goroutines.Read(text); f.goroutine {
		return nil
	}
	if f.number, err = strconv.ParseInt(strings.TrimPrefix(text, "t"), 10, 32); err != nil {
		err = fmt.Errorf("%s is no thread, such as 3, or goroutine, such as g45", text)
	}
	return err
}

// Type is for the parser of flags.
func (f *threadFlag) Type() string { return "N" }

// String returns the value before the command line is read: none.
func (f *threadFlag) String() string { return "" }

// find returns the thread; nil if none is given.
func (f *threadFlag) find(ctx context.Context, r *lazy.LazyTraceReader) (*int32, error) {
	id := int32(f.number - 1)
	switch {
	case f.number == 0:
		return nil, nil
	case !f.goroutine:
		return &id, hasThread(r, id)
	}
	ids, err := goroutines.Threads(ctx, r.ThreadList(), f.number)
	switch {
	case err != nil:
		return nil, err
	case len(ids) == 0:
		return nil, withHint(fmt.Errorf("the trace has no goroutine %d", f.number), "tracex info --tree lists them")
	case len(ids) > 1:
		return nil, &usageError{fmt.Sprintf("%s have a goroutine %d", counted(int64(len(ids)), "thread"), f.number), fmt.Sprintf("--thread %d names one of them", int64(ids[0])+1)}
	}
	return &ids[0], nil
}

// fileAnd checks that a command has a file and one argument more, which has a name in usage: METHOD.
func fileAnd(what, usage string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 2 || slices.Contains(args, "") {
			return &usageError{c.Name() + " needs a file and a " + what, c.CommandPath() + " FILE " + usage}
		}
		return nil
	}
}

// axisPlaces reads --from and --to; without them they are the ends of the recording.
func axisPlaces(first, last string, timed bool) (from, to int64, err error) {
	if from, err = axisPlace("from", first, timed, 0); err != nil {
		return 0, 0, err
	}
	if to, err = axisPlace("to", last, timed, math.MaxInt64); err != nil {
		return 0, 0, err
	}
	if to <= from {
		return 0, 0, &usageError{"--to is not after --from", ""}
	}
	return from, to, nil
}

// axisPlace reads a time since the recording began, or the number of an event in a trace without times.
func axisPlace(flag, text string, timed bool, none int64) (int64, error) {
	if text == "" {
		return none, nil
	}
	if timed {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return 0, &usageError{fmt.Sprintf("--%s %s is no time", flag, text), "such as 1.2s or 350ms after the recording began"}
		}
		return int64(d), nil
	}
	n, err := strconv.ParseInt(strings.NewReplacer(",", "", "_", "", "#", "").Replace(text), 10, 64)
	if err != nil || n < 0 || n > 1<<31 {
		return 0, &usageError{fmt.Sprintf("this trace has no times: --%s %s is no number of an event", flag, text), "such as '#1204'"}
	}
	return n, nil
}

// hasThread checks that a trace has a thread.
func hasThread(r *lazy.LazyTraceReader, id int32) error {
	if _, ok := r.ThreadInfo(id); ok {
		return nil
	}
	var there []int64
	for l, i := r.ThreadList(), 0; i < l.Len(); i++ {
		there = append(there, int64(l.ID(i))+1)
	}
	if len(there) == 0 {
		return errors.Join(errors.New("the trace has no threads"), r.Status().Problem)
	}
	return errors.Join(withHint(fmt.Errorf("the trace has no thread %d", int64(id)+1), "threads: "+ranges(there)), r.Status().Problem)
}
