package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// stateCommand is the command state with its flags.
type stateCommand struct {
	*app
	answerFlags
}

func newStateCommand(a *app) *cobra.Command {
	t := &stateCommand{app: a}
	c := &cobra.Command{
		Use:   "state FILE EVENT",
		Short: "Show what is known where an event happens",
		Long: "Show the arguments and variables of the call around an event, and the fields of its receiver, each as last seen before the event " +
			"in its thread, with the event that set it.",
		Example: "tracex state 'trace.bin#1204'\ntracex state trace.bin '#1204' --json -n 0",
		Args:    onePlace,
	}
	t.add(c, "values", 50)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := t.check(); err != nil {
			return err
		}
		path, at, err := placeArguments(c, args)
		if err != nil {
			return err
		}
		for _, flag := range []string{"thread", "in", "from", "to"} {
			if t.flags.Changed(flag) {
				return &usageError{"--" + flag + " cannot be used here", "state is about one event"}
			}
		}
		return a.withTrace(c.Context(), path, func(_ *input, r *lazy.LazyTraceReader) error { return t.show(c.Context(), r, at) })
	}
	return c
}

func (t *stateCommand) show(ctx context.Context, r *lazy.LazyTraceReader, h lazy.Handle) error {
	at, event, err := r.Find(ctx, h)
	if err != nil {
		return err
	}
	if at.At < 0 {
		return &usageError{h.String() + " is a thread, not an event", ""}
	}
	s := query.NewState(r, t.raw, query.HistoryPoint{Position: at, Event: event})
	return t.give(ctx, t.app, r, answer{
		run:     func(ctx context.Context, _ lazy.Progress) error { return s.Run(ctx, nil) },
		fault:   func(err error) error { return hiddenError(h.String(), err) },
		table:   func() *table.Table { return s.Table(query.View{Done: 1, G: &display.Unicode}) },
		verdict: func(made *table.Table) error { return t.verdict(int64(made.Rows.Len()), made.Row) },
	})
}
