package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query/goroutines"
)

// infoCommand is the command info with its flags.
type infoCommand struct {
	*app
	json  bool
	env   bool
	limit int // of threads listed; 0 for all
	tree  bool
}

// listedThreads is how many threads info lists unless --limit is given.
const listedThreads = 40

func newInfoCommand(a *app) *cobra.Command {
	n := &infoCommand{app: a}
	c := &cobra.Command{
		Use:   "info FILE",
		Short: "Show what a trace contains",
		Long: "Show the size, threads and events of a trace, and how it was recorded. If the recorded program or " +
			"the command that recorded it was killed, info first completes the trace from the data left beside it. So does every command that reads a trace.",
		Example: `tracex info trace.bin
tracex info --limit 0 trace.bin # every thread
tracex info --tree trace.bin # goroutines below those that started them
tracex info --json trace.bin | jq .threads`,
		Args: a.oneTrace,
	}
	c.Flags().BoolVar(&n.json, "json", false, "print JSON")
	c.Flags().BoolVar(&n.env, "env", false, "show the values of environment variables")
	c.Flags().IntVarP(&n.limit, "limit", "n", listedThreads, "list the N threads with the most calls; 0 for all")
	c.Flags().BoolVar(&n.tree, "tree", false, "list goroutines below those that started them")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		switch {
		case n.limit < 0:
			return &usageError{fmt.Sprintf("--limit is %d; it must be at least 0", n.limit), ""}
		case n.json && !c.Flags().Changed("limit"):
			n.limit = 0
		}
		return a.withTrace(ctx, path, func(in *input, r *lazy.LazyTraceReader) error { return n.show(ctx, in, r) })
	})
	return c
}

// show prints the facts about a trace; if it is damaged, about its undamaged part.
func (n *infoCommand) show(ctx context.Context, in *input, r *lazy.LazyTraceReader) error {
	p := n.newProgress("counting")
	sum, err := r.Summarize(ctx, p.Update)
	p.End()
	if err != nil {
		return err
	}
	t, rows := gather(r, sum), threadRows{r: r}
	if n.json || n.tree {
		if rows.forest, err = goroutines.NewForest(ctx, r.ThreadList(), nil); err != nil {
			return err
		}
	}
	if n.tree {
		rows.listTree(sum.Threads, n.limit)
	} else {
		rows.list(sum.Threads, n.limit)
	}
	t.File = in.name
	t.Run = runFactsOf(r.Info(), n.env)
	left, right, err := diffInfo(in.path)
	if err != nil {
		return err
	}
	t.Left, t.Right = runFactsOf(left, n.env), runFactsOf(right, n.env)
	if n.json {
		err = t.writeJSON(n.stdout, rows)
	} else {
		err = t.write(n.stdout, rows)
	}
	if err != nil {
		return err
	}
	return r.Status().Problem // reported after the facts
}
