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
	"tracex/lazy/query/display"
)

// printCommand is the command print with its flags.
type printCommand struct {
	*app
	raw, verbose, values, json bool
	thread                     threadFlag
	depth                      int
	from, count                int64
	event                      int64 // -1 for all
	at                         place // of the argument
	subtree, force             bool
}

func newPrintCommand(a *app) *cobra.Command {
	p := &printCommand{app: a}
	c := &cobra.Command{
		Use:   "print FILE",
		Short: "Print a trace as text or JSON",
		Example: `tracex print --thread 2 --depth 3 trace.bin
tracex print --subtree 'trace.bin#1204' # as numbered in the explorer
tracex print --json trace.bin | jq 'select(.kind=="throw").exception'`,
		Args: a.oneTrace,
	}
	flags := c.Flags()
	flags.BoolVar(&p.raw, "raw", false, "all recorded events, including compiler-generated ones")
	flags.BoolVar(&p.verbose, "verbose", false, "add source locations")
	flags.BoolVar(&p.values, "values", false, "add captured fields and array elements")
	flags.BoolVar(&p.json, "json", false, "one JSON object per line and event, with all details")
	flags.Var(&p.thread, "thread", threadUsage)
	flags.Int64Var(&p.event, "event", -1, "only event N, as numbered in the explorer")
	flags.BoolVar(&p.subtree, "subtree", false, "with --event: also everything below it")
	flags.IntVar(&p.depth, "depth", 0, "at most N levels below the top, or below the event")
	flags.Int64Var(&p.from, "from", 0, "start at event N of each thread")
	flags.Int64Var(&p.count, "count", 0, "stop after N events")
	flags.BoolVar(&p.force, "force", false, "also more than 4 GiB of indentation, of very deep calls")
	flags.Lookup("event").DefValue = "" // help would show -1
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		path, p.at = splitPlace(path)
		if err := p.check(flags); err != nil {
			return err
		}
		return p.printTrace(ctx, path)
	})
	return c
}

// printTrace prints the trace in a file.
func (p *printCommand) printTrace(ctx context.Context, path string) error {
	return p.withTrace(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error { return p.print(ctx, r) })
}

// check refuses numbers out of range and flags that contradict each other.
func (p *printCommand) check(flags *pflag.FlagSet) error {
	for _, n := range []struct {
		flag  string
		value int64
		least int64
	}{{"thread", p.thread.number, 1}, {"depth", int64(p.depth), 1}, {"event", p.event, 0}, {"from", p.from, 0}, {"count", p.count, 1}} {
		if flags.Changed(n.flag) && n.value < n.least {
			return &usageError{fmt.Sprintf("--%s is %d; it must be at least %d", n.flag, n.value, n.least), "without it, all are printed"}
		}
	}
	one := flags.Changed("event") || p.at.given
	switch {
	case p.at.given && flags.Changed("event"):
		return &usageError{"--event and " + p.at.handle.String() + " exclude each other", "both name the event to print"}
	case p.at.given && !p.at.handle.Numbered && p.at.handle.Position.At < 0:
		return &usageError{p.at.handle.String() + " is a thread", fmt.Sprintf("--thread %d prints it", int64(p.at.handle.Position.Thread)+1)}
	case p.at.given && flags.Changed("from"):
		return &usageError{"--from and " + p.at.handle.String() + " exclude each other", "--from starts at an event, an address prints one"}
	case one && flags.Changed("from"):
		return &usageError{"--event and --from exclude each other", "--from starts at an event, --event prints one"}
	case !one && p.subtree:
		return &usageError{"--subtree needs --event or an address", "--event N --subtree prints event N and everything below it"}
	}
	return nil
}

// print writes the text of a trace to standard output; if it is damaged, that of its undamaged part.
func (p *printCommand) print(ctx context.Context, r *lazy.LazyTraceReader) error {
	part := lazy.PrintRange{From: int32(min(p.from, math.MaxInt32)), Count: p.count}
	var err error
	if part.Thread, err = p.thread.find(ctx, r); err != nil {
		return err
	}
	o := lazy.PrintOptions{
		Folded: !p.raw, Verbose: p.verbose, Values: p.values, Escape: p.terminal(), JSON: p.json, MaxDepth: p.depth,
	}
	if !p.force {
		o.MaxIndent = lazy.MostIndent
	}
	if p.at.given && p.at.handle.Numbered {
		p.event = int64(p.at.handle.Event)
	}
	if p.event >= 0 || p.at.given {
		return p.printEvent(ctx, r, o, part)
	}
	if p.from > math.MaxInt32 {
		return withHint(fmt.Errorf("no event from %d on in the trace", p.from), hintEvents)
	}
	remarkIndex(p.app, r)
	err = tooDeep(r.Print(ctx, p.stdout, o, part))
	problem := r.Status().Problem
	var none *lazy.NoEventError
	switch {
	case !errors.As(err, &none):
		return cmp.Or(err, problem)
	case problem != nil:
		return err
	case none.Hidden:
		return withHint(err, "they are hidden by folding or --depth; --raw without --depth prints all")
	}
	return withHint(err, hintEvents)
}

// printEvent prints one event, or everything below it too. Like print, it reports that a trace is
// damaged: the subtree may be cut short, and an event that was not found may be in the missing part.
func (p *printCommand) printEvent(ctx context.Context, r *lazy.LazyTraceReader, o lazy.PrintOptions, part lazy.PrintRange) error {
	var none *lazy.NoEventError
	if p.event > math.MaxInt32 {
		return withHint(fmt.Errorf("no event %d in the trace", p.event), hintEvents)
	}
	remarkIndex(p.app, r)
	var err error
	if below := p.subtree || p.depth > 0; p.event < 0 {
		err = r.PrintAt(ctx, p.stdout, o, p.at.handle.Position, below, part)
	} else {
		err = r.PrintEvent(ctx, p.stdout, o, int32(p.event), below, part)
	}
	var folded *lazy.FoldedError
	switch {
	case errors.As(err, &folded) && folded.Near >= 0:
		return withHint(err, fmt.Sprintf("--raw prints it as recorded; folding shows it as part of --event %d", folded.Near))
	case errors.As(err, &folded):
		return withHint(err, "--raw prints it as recorded")
	case errors.As(err, &none) && r.Status().Problem == nil:
		return withHint(err, hintEvents)
	case err != nil:
		return tooDeep(err)
	}
	return r.Status().Problem
}

// tooDeep says what to do if a text ended because of its indentation.
func tooDeep(err error) error {
	var deep *lazy.IndentError
	if !errors.As(err, &deep) {
		return err
	}
	err = fmt.Errorf("the text ends early: with the next line, %s levels deep, it would have more than %s of indentation", display.Grouped(int64(deep.Depth)), humanSize(deep.Most))
	return withHint(err, "--depth N prints N levels below the top, --json needs no indentation, --force prints all")
}

// hintEvents tells where to find the numbers of events.
const hintEvents = "the explorer and print --json show event numbers"
