package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tracex/lazy"
)

// printFlags are the flags of print.
type printFlags struct {
	raw, verbose, values, json bool
	thread                     int32 // as it is printed, from 1; 0: all
	depth                      int
	from, count                int64
	event                      int64 // -1: all
	subtree                    bool
}

func (a *app) printCommand() *cobra.Command {
	var f printFlags
	c := &cobra.Command{
		Use:   "print FILE",
		Short: "Print a trace as text",
		Example: `tracex print --thread 2 --depth 3 trace.bin
tracex print --event 1204 --subtree trace.bin # as numbered in the explorer
tracex print --json trace.bin | jq 'select(.kind=="throw").exception'
tracex print --json trace.bin | jq -r 'select(.duration > 1e6).text'`,
		Args: a.oneTrace,
	}
	flags := c.Flags()
	flags.BoolVar(&f.raw, "raw", false, "all events as recorded, nothing folded")
	flags.BoolVar(&f.verbose, "verbose", false, "with the place in the source")
	flags.BoolVar(&f.values, "values", false, "with captured fields and elements")
	flags.BoolVar(&f.json, "json", false, "as JSON, one line an event, with all that is known")
	flags.Int32Var(&f.thread, "thread", 0, "only thread N, as in \"# Thread N\"")
	flags.Int64Var(&f.event, "event", -1, "only event N, as the explorer numbers it")
	flags.BoolVar(&f.subtree, "subtree", false, "with --event: also all below it")
	flags.IntVar(&f.depth, "depth", 0, "only N levels below the top, or the event")
	flags.Int64Var(&f.from, "from", 0, "begin at event N, in each thread")
	flags.Int64Var(&f.count, "count", 0, "stop after N events")
	flags.Lookup("event").DefValue = "" // help would say -1
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		if err := f.check(flags); err != nil {
			return err
		}
		return a.withTrace(ctx, path, func(_ *input, r *lazy.TraceReader) error { return a.print(ctx, r, f) })
	})
	return c
}

// check refuses numbers that cannot be, and flags that say nothing together.
func (f *printFlags) check(flags *pflag.FlagSet) error {
	for _, n := range []struct {
		flag  string
		value int64
		least int64
	}{{"thread", int64(f.thread), 1}, {"depth", int64(f.depth), 1}, {"event", f.event, 0}, {"from", f.from, 0}, {"count", f.count, 1}} {
		if flags.Changed(n.flag) && n.value < n.least {
			return &usageError{fmt.Sprintf("--%s is %d, but counts from %d", n.flag, n.value, n.least), "leave it out for all"}
		}
	}
	one := flags.Changed("event")
	switch {
	case one && flags.Changed("from"):
		return &usageError{"--event and --from together", "--from begins at an event, --event prints one"}
	case !one && f.subtree:
		return &usageError{"--subtree without --event", "--event N names what it is the subtree of"}
	}
	return nil
}

// print writes the text of a trace to standard output. All that is whole is
// written, also of a trace that is damaged.
func (a *app) print(ctx context.Context, r *lazy.TraceReader, f printFlags) error {
	part := lazy.Part{From: int32(min(f.from, math.MaxInt32)), Count: f.count}
	if f.thread > 0 {
		id := f.thread - 1
		if err := hasThread(r, id); err != nil {
			return err
		}
		part.Thread = &id
	}
	o := lazy.PrintOptions{
		Folded: !f.raw, Verbose: f.verbose, Values: f.values, Escape: a.terminal(), JSON: f.json, MaxDepth: f.depth,
	}
	if f.event >= 0 {
		return a.printEvent(ctx, r, o, part, f)
	}
	if f.from > math.MaxInt32 {
		return withHint(fmt.Errorf("no event from %d on in the trace", f.from), hintEvents)
	}
	a.remarkIndex(r)
	err := r.Print(ctx, a.stdout, o, part)
	problem := r.Status().Problem
	var none *lazy.NoEventError
	switch {
	case !errors.As(err, &none):
		return cmp.Or(err, problem)
	case problem != nil:
		return errors.Join(err, problem)
	case none.Hidden:
		return withHint(err, "they are folded away, or deeper than --depth; --raw without --depth shows all")
	}
	return withHint(err, hintEvents)
}

// printEvent prints one event, or all below it too. Of a trace that is damaged
// it tells that as print does: what is below the event may be cut short, and one
// that is not found may be in what is missing.
func (a *app) printEvent(ctx context.Context, r *lazy.TraceReader, o lazy.PrintOptions, part lazy.Part, f printFlags) error {
	var none *lazy.NoEventError
	if f.event > math.MaxInt32 {
		return withHint(fmt.Errorf("no event %d in the trace", f.event), hintEvents)
	}
	a.remarkIndex(r)
	err := r.PrintEvent(ctx, a.stdout, o, int32(f.event), f.subtree || f.depth > 0, part)
	var folded *lazy.FoldedError
	switch {
	case errors.As(err, &folded) && folded.Near >= 0:
		return withHint(err, fmt.Sprintf("--raw shows it as it was recorded; --event %d is what is shown there", folded.Near))
	case errors.As(err, &folded):
		return withHint(err, "--raw shows it as it was recorded")
	case errors.As(err, &none) && r.Status().Problem != nil:
		return errors.Join(err, r.Status().Problem)
	case errors.As(err, &none):
		return withHint(err, hintEvents)
	case err != nil:
		return err
	}
	return r.Status().Problem
}

// hintEvents says where the numbers of events come from.
const hintEvents = "the explorer and print --json have the number of each event"

// hasThread checks that a trace has a thread.
func hasThread(r *lazy.TraceReader, id int32) error {
	var there []int64
	for _, t := range r.Threads() {
		if t.ID == id {
			return nil
		}
		there = append(there, int64(t.ID)+1)
	}
	if len(there) == 0 {
		return errors.New("the trace has no threads")
	}
	return withHint(fmt.Errorf("the trace has no thread %d", int64(id)+1), "its threads are "+ranges(there))
}

// ranges writes ascending numbers shortly: 1-4, 7.
func ranges(numbers []int64) string {
	text := ""
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprint(numbers[i])
		if j > i {
			text += fmt.Sprintf("-%d", numbers[j])
		}
		i = j + 1
	}
	return text
}
