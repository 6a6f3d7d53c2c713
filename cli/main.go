// Package cli is the command line of tracex: one file for each command, a thin layer over
// packages lazy, ui and recorder.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tracex/format"
)

// Main runs the program on its arguments and returns the exit code. demo holds
// the trace of the command demo, in testdata/demo, which only package main can embed.
func Main(demo fs.FS) int { return run(os.Args[1:], demo) }

func run(args []string, demo fs.FS) int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	// If the reader goes away (print | head), a write fails with an ordinary error, so
	// temporary files are still removed. Ignoring the signal would have the same effect, but an
	// editor started by this program would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, demoFiles: demo}
	root := newRoot(a)
	root.SetArgs(a.impliedOpen(root, args))
	err := root.ExecuteContext(ctx)
	var child childExit
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.As(err, &child) {
		err = cause
	}
	report(a.stderr, err)
	return exitCode(err)
}

// untilSignal returns a context that the first interrupt, termination, hang-up or quit signal
// cancels, so that a command can restore the terminal and remove its temporary files. The
// second signal ends the program at once. Ignored signals (nohup) stay ignored.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	c := make(chan os.Signal, 1)
	notifyEnding(c)
	go func() {
		select {
		case s := <-c:
			signal.Stop(c)
			number, _ := s.(syscall.Signal)
			cancel(signalError{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(c)
		cancel(nil)
	}
}

// newRoot builds the command line.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:     "tracex",
		Short:   "Explore what a program did, call by call, in the terminal",
		Example: "tracex trace.bin   # explore a recorded trace; tracex guide tells more",
		Args:    cobra.NoArgs,
		// A word may be a command, or a trace, which implies open.
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetHelpFunc(helpFunc(a.stdout))
	root.Version = versionText()
	root.SetVersionTemplate("tracex {{.Version}}\n")
	root.SilenceErrors, root.SilenceUsage = true, true // run reports errors
	root.SuggestionsMinimumDistance = 2                // letters that a misspelled command may differ by
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetHelpCommand(hiddenHelp())
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{plainFlagError(err).Error(), usageHint(c)}
	})
	cobra.EnableCommandSorting = false
	list := commands(a)
	a.traceFlags(list)
	root.AddCommand(list...)
	root.AddCommand(newManCommand(a))
	root.AddCommand(helpTopics()...)
	root.InitDefaultCompletionCmd()
	strictCompletion(root)
	return root
}

// commands returns tracex's commands in the order of help: the most used first.
func commands(a *app) []*cobra.Command {
	bench := newBenchCommand(a)
	index, unpack, serve, config := newIndexCommand(a), newUnpackCommand(a), newServeCommand(a), newConfigCommand(a)
	pack := newPackCommand(a)
	for _, c := range []*cobra.Command{index, bench, pack, unpack, serve, config} {
		c.Annotations = map[string]string{rareMark: "yes"}
	}
	return []*cobra.Command{
		newOpenCommand(a), newPrintCommand(a), newInfoCommand(a), newOverviewCommand(a), newReportCommand(a), newTopCommand(a), newFindCommand(a), newCallsCommand(a), newCallersCommand(a), newThrowsCommand(a), newDiffCommand(a), newCompareCommand(a), newGoldenCommand(a), newHistoryCommand(a), newStateCommand(a), newSourceCommand(a), newAroundCommand(a), newAtCommand(a), newLogCommand(a), newFlameCommand(a), newNotesCommand(a), index,
		pack, unpack, newConvertCommand(a), newExportCommand(a), newRecordCommand(a), newBuildCommand(a), newAttachCommand(a), serve,
		newDemoCommand(a), config, newGuideCommand(a), bench,
	}
}

// traceCommands are the commands that read one trace, and only that.
var traceCommands = []string{
	"open", "print", "info", "overview", "report", "top", "find", "calls", "callers", "throws", "history", "state", "source", "around", "at", "log", "flame", "export",
}

// traceFlags adds to the commands that read a trace the flags that say how it is read.
func (a *app) traceFlags(list []*cobra.Command) {
	for _, c := range list {
		if name := c.Name(); name == "notes" || name == "pack" || name == "convert" || name == "diff" || name == "compare" || name == "golden" || slices.Contains(traceCommands, name) {
			a.fromFlag(c)
		}
		if !slices.Contains(traceCommands, c.Name()) {
			continue
		}
		c.Flags().StringVar(&a.index, "index", "", "index of the trace; default FILE"+format.IndexSuffix)
		c.Flags().Lookup("index").Annotations = map[string][]string{rareMark: nil}
	}
}

// plainFlagError tells what a flag's value should be, without the name of the function that
// failed to parse it.
func plainFlagError(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	cause := errors.Unwrap(invalid)
	var number *strconv.NumError
	if errors.As(cause, &number) {
		cause = errors.New("expected a number")
		if invalid.GetFlag().Value.Type() == "bool" {
			cause = errors.New("expected true or false")
		}
	}
	return fmt.Errorf("invalid value %q for --%s: %w", invalid.GetValue(), invalid.GetFlag().Name, cause)
}

// impliedOpen puts "open" before arguments that name no command: tracex trace.bin is
// tracex open trace.bin. A file with the name of a command needs a path: ./print.
func (a *app) impliedOpen(root *cobra.Command, args []string) []string {
	if len(args) == 0 {
		return args
	}
	switch args[0] {
	case "-h", "--help", "-v", "--version", "help", "completion",
		cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return args
	case "version":
		if len(args) == 1 && !exists(args[0]) {
			return []string{"--version"}
		}
	}
	for _, c := range root.Commands() {
		if c.Name() == args[0] || c.HasAlias(args[0]) {
			return args
		}
	}
	a.implied = true
	return append([]string{"open"}, args...)
}

// versionText returns what --version prints after the name: the version, the commit if the
// build knows it, and the versions of the trace format.
func versionText() string {
	text := version
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 10 {
				text += " (" + s.Value[:10] + ")"
			}
		}
	}
	return fmt.Sprintf("%s\ntrace format: versions %d (JetBrains %s) and %d (%s), read and written; %d (%s), read, untested", text,
		format.V27, format.V27.Release(), format.V22, format.V22.Release(), format.V19, format.V19.Release())
}
