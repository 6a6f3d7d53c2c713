package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
)

// aroundCommand is the command around with its flags.
type aroundCommand struct {
	*app
	tableFlags
	raw            bool
	n              int
	where, threads string
}

func newAroundCommand(a *app) *cobra.Command {
	x := &aroundCommand{app: a}
	c := &cobra.Command{
		Use:   "around FILE PLACE",
		Short: "Show what all threads did around an event",
		Long: "Show the threads side by side around an event, in one order: by the numbers of events, which Lincheck gives to all threads in turn, or by the times " +
			"that the recorder of tracex writes.",
		Example: `tracex around trace.bin '#182771'
tracex around 'trace.bin#182771' -n 50 --where obj=Account@129378
tracex around trace.bin '#182771' --threads main,3 --json`,
		Args: onePlace,
	}
	flags := c.Flags()
	flags.BoolVar(&x.raw, "raw", false, "all recorded events, including compiler-generated ones")
	flags.IntVarP(&x.n, "points", "n", 20, "how many events before it, and after it")
	flags.StringVar(&x.where, "where", "", "only events that match a filter, such as field=balance")
	flags.StringVar(&x.threads, "threads", "", "only these threads, by number or name: 1,g45,worker-2")
	x.tableFlags.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		path, at, err := placeArguments(c, args)
		if err != nil {
			return err
		}
		if x.n < 0 || x.n > query.MostAround {
			return &usageError{fmt.Sprintf("-n is %d; it must be from 0 to %d", x.n, query.MostAround), ""}
		}
		if err := x.check(); err != nil {
			return err
		}
		where, err := parseFilter(x.where)
		if err != nil {
			return err
		}
		ctx := c.Context()
		return a.withTrace(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error { return x.show(ctx, r, at, where) })
	}
	return c
}

// show prints the table.
func (x *aroundCommand) show(ctx context.Context, r *lazy.LazyTraceReader, h lazy.Handle, where *filter.Expr) error {
	at, _, err := r.Find(ctx, h)
	if err != nil {
		return err
	}
	if at.At < 0 {
		return &usageError{h.String() + " is a thread, not an event", "such as '#1204', the number of an event"}
	}
	o := query.AroundOptions{Raw: x.raw, Where: where, N: x.n}
	if o.Threads, err = threadsNamed(ctx, r, x.threads); err != nil {
		return err
	}
	around, err := query.FindAround(ctx, r, at, o)
	if err != nil {
		return filterError(rawHint(err))
	}
	if err := x.remarkFiles(r); err != nil {
		return err
	}
	problem := r.Status().Problem
	t, err := around.Table(ctx, query.AroundView{Width: x.width(), G: &display.Unicode})
	if err != nil {
		return err
	}
	_, err = x.write(x.app, t, 0)
	return errors.Join(err, problem)
}

// threadsNamed reads a list of threads, by number or name. It is nil for no text.
func threadsNamed(ctx context.Context, r *lazy.LazyTraceReader, text string) (ids []int32, err error) {
	if text == "" {
		return nil, nil
	}
	for _, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		of, err := query.ThreadsNamed(ctx, r, name)
		if err != nil {
			return nil, err
		}
		if len(of) == 0 {
			if n, err := strconv.Atoi(name); err == nil && n > 0 {
				return nil, hasThread(r, int32(n-1))
			}
			return nil, &usageError{"no thread is named " + name, "tracex info --limit 0 lists all threads"}
		}
		ids = append(ids, of...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
