package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// compareCommand is the command compare with its flags.
type compareCommand struct {
	*app
	answerFlags
	sort string
	a, b lazy.Handle
}

func newCompareCommand(a *app) *cobra.Command {
	t := &compareCommand{app: a}
	c := &cobra.Command{
		Use:   "compare FILE A B",
		Short: "Show where two calls part, and what one did more",
		Long: "Compare two calls, loops or iterations of a trace with everything in them: the first event with another value, the first event that only one has, " +
			"and the methods of which one has more calls, events or time. Objects are compared by their class; line numbers, numbers of events and times make no difference.",
		Example: `tracex compare trace.bin '#106' '#2573051'
tracex compare --max 0 trace.bin '#46' '#84'   # exit code 5 unless equal
tracex compare --sort self --only 'pkg=com.shop.*' 'trace.bin#46' '#84'`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 || len(args) > 3 || slices.Contains(args, "") {
				return &usageError{"compare needs a file and two events", c.CommandPath() + " FILE '#106' '#1204'"}
			}
			return nil
		},
	}
	t.add(c, "rows", 30)
	for _, name := range partFlags {
		flag := c.Flags().Lookup(name)
		flag.Hidden, flag.Annotations = true, nil
	}
	c.Flags().StringVar(&t.sort, "sort", "total", "order of methods, by difference: "+strings.Join(compareSorts, ", "))
	complete(c, "sort", compareSorts...)
	c.RunE = func(c *cobra.Command, args []string) error {
		path, err := t.places(args)
		if err != nil {
			return err
		}
		if err := t.check(); err != nil {
			return err
		}
		return t.ask(c, a, path, place{}, t.answer)
	}
	return c
}

// partFlags are the flags of answers that name a part of the trace.
var partFlags = []string{"in", "thread", "from", "to"}

// compareSorts are the words for --sort.
var compareSorts = []string{"total", "calls", "self"}

// places reads the arguments: a file and two places, or a file with the first place and the second.
func (t *compareCommand) places(args []string) (path string, err error) {
	path, first := args[0], place{}
	if len(args) == 2 {
		if path, first = splitPlace(args[0]); !first.given {
			return "", &usageError{"compare needs two events", "tracex compare FILE '#106' '#1204'"}
		}
		t.a = first.handle
	} else if t.a, err = placeArgument(args[1]); err != nil {
		return "", err
	}
	t.b, err = placeArgument(args[len(args)-1])
	return path, err
}

// check refuses flags that make no sense for two places.
func (t *compareCommand) check() error {
	for _, flag := range partFlags {
		if t.flags.Changed(flag) {
			return &usageError{"compare takes no --" + flag, "it is about the two events and all below them"}
		}
	}
	if !slices.Contains(compareSorts, t.sort) {
		return &usageError{"--sort must be " + oneOf(compareSorts) + ", not " + t.sort, ""}
	}
	return t.answerFlags.check()
}

// answer makes the comparison.
func (t *compareCommand) answer(_ context.Context, r *lazy.LazyTraceReader, scope query.Scope) (x answer, err error) {
	found, err := query.NewCompare(r, scope, t.a, t.b)
	if err != nil {
		return x, err
	}
	return answer{run: found.Run,
		fault:   func(err error) error { return rawHint(stepError(err)) },
		table:   func() *table.Table { return found.Table(query.View{Sort: t.key(r), Done: 1, G: &display.Unicode}) },
		verdict: func(*table.Table) error { return t.verdict(found.Differences(), "difference") }}, nil
}

// key returns the column that --sort names.
func (t *compareCommand) key(r *lazy.LazyTraceReader) string {
	word := t.sort
	if _, timed := r.Times(); !timed {
		switch word {
		case "total":
			word = "events"
		case "self":
			word = "own"
		}
	}
	return word + "_change"
}
