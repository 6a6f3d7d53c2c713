package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
)

// atCommand is the command at with its flags.
type atCommand struct {
	*app
	tableFlags
	raw, stack bool
	limit      int
	threads    string
}

func newAtCommand(a *app) *cobra.Command {
	x := &atCommand{app: a}
	c := &cobra.Command{
		Use:   "at FILE TIME",
		Short: "Show what every thread was in at a moment",
		Long: "Show the innermost open call of every thread, or goroutine, at a moment: a time since the recording began, or that when an event began. " +
			"Threads that worked come first, then those that waited, in the order of their numbers.",
		Example: `tracex at trace.bin 1.2s
tracex at trace.bin 1m3.5s --stack --limit 0
tracex at 'trace.bin#182771' --threads main,g45 --json`,
		Args: func(c *cobra.Command, args []string) error {
			_, _, _, err := atArguments(c, args)
			return err
		},
	}
	flags := c.Flags()
	flags.BoolVar(&x.stack, "stack", false, "all callers, a line each; with --json and --csv the whole path")
	flags.BoolVar(&x.raw, "raw", false, "all recorded events, including compiler-generated ones")
	flags.IntVarP(&x.limit, "limit", "n", 50, "print at most N threads; 0 for all")
	flags.StringVar(&x.threads, "threads", "", "only these threads, by number or name: 1,g45,worker-2")
	x.tableFlags.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		path, at, h, err := atArguments(c, args)
		if err != nil {
			return err
		}
		if err := tooSmall(c.Flags(), "limit", int64(x.limit), 0); err != nil {
			return err
		}
		if err := x.check(); err != nil {
			return err
		}
		ctx := c.Context()
		return a.withTrace(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error { return x.show(ctx, r, at, h) })
	}
	return c
}

// atArguments reads a file and a moment: a time, or a place, which is nil for a time.
func atArguments(c *cobra.Command, args []string) (path string, at int64, h *lazy.Handle, err error) {
	if len(args) == 2 && !slices.Contains(args, "") && strings.TrimLeft(args[1], "0123456789,_#@+") != "" {
		d, err := time.ParseDuration(args[1])
		if err != nil || d < 0 {
			return "", 0, nil, &usageError{args[1] + " is no time", "such as 1.2s or 350ms after the recording began, or '#1204', the number of an event"}
		}
		path, in := splitPlace(args[0])
		if in.given {
			return "", 0, nil, &usageError{in.handle.String() + " and " + args[1] + " exclude each other", "both name the moment"}
		}
		return path, int64(d), nil, nil
	}
	if len(args) == 1 {
		_, in := splitPlace(args[0])
		if !in.given {
			args = nil
		}
	}
	if len(args) == 0 || len(args) > 2 || slices.Contains(args, "") {
		return "", 0, nil, &usageError{c.Name() + " needs a file and a time", c.CommandPath() + " FILE 1.2s"}
	}
	path, place, err := placeArguments(c, args)
	return path, 0, &place, err
}

// show prints the table, or the stacks.
func (x *atCommand) show(ctx context.Context, r *lazy.LazyTraceReader, at int64, h *lazy.Handle) error {
	o := query.AtOptions{Time: at, Place: h, Raw: x.raw, Whole: x.stack}
	var err error
	if o.Threads, err = threadsNamed(ctx, r, x.threads); err != nil {
		return err
	}
	found := query.NewAt(r, o)
	p := x.newProgress("reading")
	p.plain = true // threads
	err = found.Run(ctx, p.Update)
	p.End()
	if errors.Is(err, lazy.ErrNoTimes) {
		why := query.WithoutTimes(r)
		if why == "" {
			why = "tracex around tells what other threads did, by the numbers of events"
		}
		return errors.Join(withHint(fmt.Errorf("%w: what its threads were in at a moment is not known", err), why), r.Status().Problem)
	}
	if err != nil {
		return errors.Join(err, r.Status().Problem)
	}
	if err := x.remarkFiles(r); err != nil {
		return err
	}
	problem := r.Status().Problem
	if x.stack && !x.json && !x.csv {
		_, err = found.WriteStacks(ctx, x.stdout, x.limit, &display.Unicode)
		return errors.Join(err, problem)
	}
	t := found.Table(query.View{Done: 1, Read: ctx, G: &display.Unicode})
	more, err := x.write(x.app, t, x.limit)
	if failed := query.RowsErr(t); failed != nil {
		err = failed
	}
	if err == nil {
		x.tellMore(more)
	}
	return errors.Join(err, problem)
}
