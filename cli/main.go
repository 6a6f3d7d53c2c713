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
	"strings"
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
	root := newRoot(a, needed(args))
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

// newRoot builds the command line: with some commands, or with all, the man page and the topics of help.
func newRoot(a *app, some []maker) *cobra.Command {
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
	list := commands(a, some)
	a.traceFlags(list)
	root.AddCommand(list...)
	if len(some) < len(allCommands) {
		root.CompletionOptions.DisableDefaultCmd = true
		return root
	}
	root.AddCommand(newManCommand(a))
	root.AddCommand(helpTopics()...)
	root.InitDefaultCompletionCmd()
	strictCompletion(root)
	return root
}

// maker makes a command.
type maker struct {
	name string
	make func(*app) *cobra.Command
	rare bool // see rareMark
}

// allCommands are tracex's commands in the order of help: the most used first.
var allCommands = []maker{
	{name: "open", make: newOpenCommand}, {name: "print", make: newPrintCommand}, {name: "info", make: newInfoCommand},
	{name: "overview", make: newOverviewCommand}, {name: "report", make: newReportCommand}, {name: "top", make: newTopCommand},
	{name: "find", make: newFindCommand}, {name: "calls", make: newCallsCommand}, {name: "callers", make: newCallersCommand},
	{name: "throws", make: newThrowsCommand}, {name: "diff", make: newDiffCommand}, {name: "compare", make: newCompareCommand},
	{name: "golden", make: newGoldenCommand}, {name: "history", make: newHistoryCommand}, {name: "state", make: newStateCommand},
	{name: "source", make: newSourceCommand}, {name: "around", make: newAroundCommand}, {name: "at", make: newAtCommand},
	{name: "log", make: newLogCommand}, {name: "flame", make: newFlameCommand}, {name: "notes", make: newNotesCommand},
	{name: "index", make: newIndexCommand, rare: true}, {name: "pack", make: newPackCommand, rare: true},
	{name: "unpack", make: newUnpackCommand, rare: true}, {name: "convert", make: newConvertCommand}, {name: "export", make: newExportCommand},
	{name: "record", make: newRecordCommand}, {name: "build", make: newBuildCommand}, {name: "attach", make: newAttachCommand},
	{name: "serve", make: newServeCommand, rare: true}, {name: "demo", make: newDemoCommand}, {name: "config", make: newConfigCommand, rare: true},
	{name: "guide", make: newGuideCommand}, {name: "bench", make: newBenchCommand, rare: true},
}

// needed returns the commands that arguments need. Making all takes longer than the work of some, so it returns
// only the command that the first argument names, the one that a file implies, or none for the version.
func needed(args []string) []maker {
	if len(args) == 0 {
		return allCommands
	}
	first := args[0]
	if len(args) == 1 && (first == "--version" || first == "-v") {
		return nil
	}
	if !strings.HasPrefix(first, "-") && strings.ContainsAny(first, "./") && exists(first) { // no command has such a name
		first = "open"
	}
	if i := slices.IndexFunc(allCommands, func(c maker) bool { return c.name == first }); i >= 0 {
		return allCommands[i : i+1]
	}
	return allCommands
}

// commands makes commands.
func commands(a *app, some []maker) (list []*cobra.Command) {
	for _, c := range some {
		made := c.make(a)
		if c.rare {
			made.Annotations = map[string]string{rareMark: "yes"}
		}
		list = append(list, made)
	}
	return list
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
