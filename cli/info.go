package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
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
		Long: "Show the size, processes, threads and events of a trace, and how it was recorded. If the recorded program or " +
			"the command that recorded it was killed, info first completes the trace from the data left beside it. So does every command that reads a trace.",
		Example: `tracex info trace.bin
tracex info --limit 0 trace.bin # every thread
tracex info --tree trace.bin # goroutines below those that started them
tracex info --json trace.bin | jq .threads`,
		Args: a.oneTrace,
	}
	c.Flags().BoolVar(&n.json, "json", false, "print JSON")
	c.Flags().BoolVar(&n.env, "env", false, "show the values of environment variables")
	c.Flags().IntVarP(&n.limit, "limit", "n", listedThreads, "list N processes, and N threads with the most calls; 0: all")
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
		rows.listTree(&sum.Threads, n.limit)
	} else {
		rows.list(&sum.Threads, n.limit)
	}
	t.File, t.limit, t.Processes = in.name, n.limit, gatherProcesses(r, &sum.Threads)
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

// gather collects the facts, without those about threads.
func gather(r *lazy.LazyTraceReader, sum lazy.Summary) *facts {
	s := r.Status()
	t := &facts{
		Version: int(r.Version()), Release: r.Version().Release(), IndexFrom: s.Index, Unfinished: s.Unfinished,
		Blocks: sum.Blocks, Events: sum.Points, Calls: sum.Classes[format.ClassCall], Depth: sum.Depth,
		Threads: []threadFacts{}, Classes: []count{}, Kinds: []count{},
	}
	t.Data, t.Index = r.Size()
	t.Times = r.TimesSize()
	size, why := lazy.SummaryOf(r).State()
	if t.Summary = size; why != nil {
		t.SummaryProblem = message(why)
	}
	if s.IndexReason != nil {
		t.IndexProblem = message(s.IndexReason)
	}
	if begun, length, ok := r.Recording(); ok {
		ns := length.Nanoseconds()
		if t.Length = &ns; lazy.WallKnown(begun) {
			t.Begun = begun.UTC().Format(time.RFC3339Nano)
		}
	}
	t.TimesMissing = query.WithoutTimes(r)
	if s.TimesReason != nil {
		t.TimesProblem = message(s.TimesReason)
	}
	if s.Problem != nil {
		t.Problem = message(s.Problem)
	}
	r.WithContext(func(c *format.Context) { t.Gaps, t.Sample = format.Gaps(c), format.SampleNote(c) })
	for c := format.Class(0); c.Valid(); c++ {
		if n := sum.Classes[c]; n > 0 {
			t.Classes = append(t.Classes, count{c.String(), n})
		}
	}
	for k := format.Kind(0); k.Valid(); k++ {
		if n := sum.Kinds[k]; n > 0 {
			t.Kinds = append(t.Kinds, count{k.String(), n})
		}
	}
	return t
}

// diffInfo returns the information of a packed diff about its two sides; nil for any other trace.
func diffInfo(path string) (left, right *format.Info, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	packed, _, err := openPacked(f)
	if packed == nil || err != nil {
		// The file was read as a trace before, so it is not packed.
		return nil, nil, nil
	}
	left, right, err = packed.DiffInfo()
	return left, right, format.At(err, path, 0)
}

// runFactsOf returns the facts of an info.txt. It includes values of environment variables, which
// may be secrets, only if env is set.
func runFactsOf(n *format.Info, env bool) *runFacts {
	if n == nil {
		return nil
	}
	r := &runFacts{
		Class: n.Class, Method: n.Method, Start: rfc3339(n.Start), End: rfc3339(n.End),
		JVMArgs: n.JVMArgs, AgentArgs: n.AgentArgs, Events: n.Points, Properties: []pair{}, Environment: []pair{},
	}
	for _, p := range n.Properties {
		r.Properties = append(r.Properties, pair{p.Key, &p.Value})
	}
	for _, p := range n.Environment {
		shown := pair{Name: p.Key}
		if env {
			shown.Value = &p.Value
		}
		r.Environment = append(r.Environment, shown)
	}
	return r
}

// rfc3339 writes milliseconds since 1970.
func rfc3339(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
