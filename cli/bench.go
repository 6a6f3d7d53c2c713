package cli

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// benchFlags are the flags of bench record.
type benchFlags struct {
	seconds float64
	json    bool
	dir     string
}

func (a *app) benchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure recording on this machine",
		Example: `tracex bench record            # what a recorded call costs
tracex bench record --json`,
		RunE: func(c *cobra.Command, args []string) error {
			what := "measure what?"
			if len(args) > 0 {
				what = "no measurement " + strings.Join(args, " ")
			}
			return &usageError{c.CommandPath() + ": " + what, c.CommandPath() + " record measures recording"}
		},
	}
	c.AddCommand(a.benchRecordCommand())
	return c
}

func (a *app) benchRecordCommand() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "record",
		Short: "Measure what it costs to record a call",
		Long: `Measure what it costs a program to record a call, from Enter to the end of Exit,
and a function that defers the End of a Call, itself included: medians of rounds
in which all cases take turns, on files in a temporary folder`,
		Example: `tracex bench record
tracex bench record --seconds 60 --dir /mnt/disk`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			if !(f.seconds > 0 && f.seconds <= 3600) {
				return &usageError{"--seconds is a number above 0, at most 3600", ""}
			}
			return a.benchRecord(c.Context(), f)
		},
	}
	flags := c.Flags()
	flags.Float64Var(&f.seconds, "seconds", 20, "about how long to measure")
	flags.BoolVar(&f.json, "json", false, "as JSON, for programs")
	flags.StringVar(&f.dir, "dir", "", "folder for the traces, else that of temporary files")
	return c
}

// benchRecord measures recording and tells the results.
func (a *app) benchRecord(ctx context.Context, f benchFlags) error {
	dir, err := os.MkdirTemp(f.dir, "tracex-bench-")
	if err != nil {
		return err
	}
	// A file that cannot be removed is no reason to hold back the results.
	defer os.RemoveAll(dir)
	b := newBench(dir, time.Duration(f.seconds*float64(time.Second)))
	p := a.newProgress("measuring")
	p.plain = true
	err = b.run(ctx, p.update)
	p.end()
	if err != nil {
		return err
	}
	t := b.results()
	if f.json {
		out := json.NewEncoder(a.stdout)
		out.SetIndent("", "  ")
		return out.Encode(t)
	}
	return t.write(a.stdout)
}
