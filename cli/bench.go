package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tracex/cli/bench"
	"tracex/lazy/query/display"
	"tracex/recorder/instrument"
	"tracex/recorder/recording"
)

func newBenchCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure recording on this machine",
		Example: `tracex bench record            # what a recorded call costs
tracex bench record --json`,
		RunE: func(c *cobra.Command, args []string) error {
			what := "name a measurement"
			if len(args) > 0 {
				what = "no measurement named " + strings.Join(args, " ")
			}
			return &usageError{nameOf(c) + ": " + what, c.CommandPath() + " record measures recording"}
		},
	}
	c.AddCommand(newBenchRecordCommand(a))
	return c
}

// benchRecordCommand is the command bench record with its flags.
type benchRecordCommand struct {
	*app
	seconds float64
	json    bool
	dir     string
	zero    bool
}

func newBenchRecordCommand(a *app) *cobra.Command {
	b := &benchRecordCommand{app: a}
	c := &cobra.Command{
		Use:   "record",
		Short: "Measure what it costs to record a call",
		Long: `Measure what it costs a program to record a call: from Enter to the end of Exit,
and as a function that defers End, including the function itself. Figures are
medians of rounds in which all cases take turns, writing to a temporary directory`,
		Example: `tracex bench record
tracex bench record --zero-code --seconds 60 --dir /mnt/disk`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			if !(b.seconds > 0 && b.seconds <= 3600) {
				return &usageError{"--seconds must be above 0 and at most 3600", ""}
			}
			return b.run(c.Context())
		},
	}
	flags := c.Flags()
	flags.Float64Var(&b.seconds, "seconds", 20, "about how long to measure")
	flags.BoolVar(&b.json, "json", false, "print JSON")
	flags.BoolVar(&b.zero, "zero-code", false, "measure a program that is instrumented")
	flags.StringVar(&b.dir, "dir", "", "directory for traces; default the temporary directory")
	return c
}

// run measures recording and prints the results.
func (b *benchRecordCommand) run(ctx context.Context) error {
	dir, err := os.MkdirTemp(b.dir, "tracex-bench-")
	if err != nil {
		return err
	}
	// A file that cannot be removed is no reason to hold back the results.
	defer os.RemoveAll(dir)
	sockets, err := recording.SocketDir("tracex-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(sockets)
	p := b.newProgress("measuring")
	p.plain = true
	o := bench.Options{Dir: dir, Sockets: sockets, Budget: time.Duration(b.seconds * float64(time.Second)), Progress: p.Update}
	if b.zero {
		t, err := bench.RecordZeroCode(ctx, o, func(src, to string, instrumented bool) error { return b.buildMeasured(ctx, src, to, instrumented) })
		p.End()
		return b.print(err, t, func(out *strings.Builder) { writeZeroCode(out, t) })
	}
	t, err := bench.Record(ctx, o)
	p.End()
	return b.print(err, t, func(out *strings.Builder) { writeBench(out, t) })
}

// print prints results as JSON, or as the text that write makes of them, unless measuring failed.
func (b *benchRecordCommand) print(failed error, results any, write func(out *strings.Builder)) error {
	if failed != nil {
		return failed
	}
	if b.json {
		return writeJSON(b.stdout, results)
	}
	var out strings.Builder
	write(&out)
	_, err := io.WriteString(b.stdout, out.String())
	return err
}

// writeRun writes how results were measured.
func writeRun(out *strings.Builder, r *bench.Run) {
	fmt.Fprintf(out, "%s, %s, %s; medians of %d rounds\n\n", r.System, counted(int64(r.CPUs), "CPU"), r.Go, r.Rounds)
}

// writeZeroCode writes the results for a program that is instrumented.
func writeZeroCode(out *strings.Builder, t *bench.ZeroCode) {
	writeRun(out, &t.Run)
	fmt.Fprintf(out, "%-27s%8s%15s%11s%9s%9s\n", "ns a call", "plain", "not recording", "recording", "allocs", "by hand")
	for _, row := range t.Rows {
		fmt.Fprintf(out, "%-27s%8.1f%15.1f%11.1f%+9.3f", row.Call, row.Plain, row.Off, row.On, row.Allocs)
		if row.ByHand > 0 {
			fmt.Fprintf(out, "%9.1f", row.ByHand)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "\n%.1f bytes a call, which are converted in %.1f ns, without writing the trace\n", t.Raw, t.Convert)
}

// buildMeasured builds the program that is measured.
func (b *benchRecordCommand) buildMeasured(ctx context.Context, src, to string, instrumented bool) error {
	command, env := []string{"go", "build", "-C", src, "-o", to, "."}, []string(nil)
	if instrumented {
		plan, err := planned(ctx, command, false, instrument.Options{Trivial: true})
		if err != nil {
			return err
		}
		command, env = plan.Args, plan.Env
	}
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS="), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("building the program to measure: %w: %s", err, out)
	}
	return nil
}

// writeBench writes the results for a person, in lines of less than 80 characters.
func writeBench(out *strings.Builder, t *bench.Table) {
	writeRun(out, &t.Run)
	fmt.Fprintf(out, "%-37s%9s%9s%8s%7s%8s\n", "", "ns a call", "x append", "allocs", "MB/s", "lost")
	fmt.Fprintln(out, "append of 40 bytes")
	for _, row := range t.Floor {
		fmt.Fprintf(out, "  %-35s%s\n", inGoroutines(row), figures(row))
	}
	call := ""
	for _, row := range t.Rows {
		if row.Call != call {
			call = row.Call
			fmt.Fprintln(out, call)
		}
		disk := ""
		if row.Disk > 0 { // otherwise unknown
			disk = fmt.Sprintf("%.0f", row.Disk)
		}
		fmt.Fprintf(out, "  %-35s%s%7s%7.1f%%\n", row.Strategy+", "+inGoroutines(row), figures(row), disk, 100*row.Lost)
	}
	fmt.Fprintf(out, "\n%-37s%9s%9s%8s%7s%8s\n", "bytes a call, of "+display.Grouped(int64(t.Sizes[0].Calls)), "data", "index", "times", "all", "packed")
	for _, s := range t.Sizes {
		fmt.Fprintf(out, "  %-35s%9.1f%9.1f%8.1f%7.1f%8.1f\n", s.Call, s.Data, s.Index, s.Times, s.Data+s.Index+s.Times, s.Packed)
	}
}

func inGoroutines(r bench.Measurement) string { return counted(int64(r.Goroutines), "goroutine") }

func figures(r bench.Measurement) string {
	return fmt.Sprintf("%9.1f%9.1f%8.3f", r.PerCall, r.Ratio, r.Allocs)
}
