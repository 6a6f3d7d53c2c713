package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tracex/lazy"
)

// printFlags are the flags of print.
type printFlags struct {
	raw, verbose, json bool
	thread             int32 // as it is printed, from 1; 0: all
	depth              int
	from, count        int64
}

func (a *app) printCommand() *cobra.Command {
	var f printFlags
	c := &cobra.Command{
		Use:   "print FILE",
		Short: "Print a trace as text",
		Example: `tracex print trace.bin > trace.txt
tracex print --thread 2 --depth 3 trace.bin
tracex print --json trace.bin | jq -r 'select(.kind=="throw").text'
tracex print --json trace.bin | jq -r 'select(.duration > 1e6).text'
gzip -dc trace.bin.gz | tracex print --raw -`,
		Args: a.oneTrace,
	}
	flags := c.Flags()
	flags.BoolVar(&f.raw, "raw", false, "all points as recorded, nothing folded")
	flags.BoolVar(&f.verbose, "verbose", false, "with the place in the source")
	flags.BoolVar(&f.json, "json", false, "a JSON object a line, for programs")
	flags.Int32Var(&f.thread, "thread", 0, "only thread N, as in \"# Thread N\"")
	flags.IntVar(&f.depth, "depth", 0, "only N levels below the top")
	flags.Int64Var(&f.from, "from", 0, "leave out the first N points")
	flags.Int64Var(&f.count, "count", 0, "stop after N points")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		for _, n := range []struct {
			flag  string
			value int64
			least int64
		}{{"thread", int64(f.thread), 1}, {"depth", int64(f.depth), 1}, {"from", f.from, 0}, {"count", f.count, 1}} {
			if flags.Changed(n.flag) && n.value < n.least {
				return &usageError{fmt.Sprintf("--%s is %d, but counts from %d", n.flag, n.value, n.least), "leave it out for all"}
			}
		}
		return a.withTrace(ctx, path, func(_ *input, r *lazy.TraceReader) error { return a.print(ctx, r, f) })
	})
	return c
}

// print writes the text of a trace to standard output. All that is whole is
// written, also of a trace that is damaged.
func (a *app) print(ctx context.Context, r *lazy.TraceReader, f printFlags) error {
	part := lazy.Part{From: f.from, Count: f.count}
	if f.thread > 0 {
		id := f.thread - 1
		if err := hasThread(r, id); err != nil {
			return err
		}
		part.Thread = &id
	}
	o := lazy.PrintOptions{Folded: !f.raw, Verbose: f.verbose, Escape: a.terminal(), JSON: f.json, MaxDepth: f.depth}
	if err := r.Print(ctx, a.stdout, o, part); err != nil {
		return err
	}
	return r.Status().Problem
}

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
