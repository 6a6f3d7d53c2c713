// Package cli is the command line of tracex: one file for each command, a thin layer over
// packages lazy, ui and recorder.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

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

// signalError is the cause of a context that a signal canceled.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string { return "stopped: " + e.signal.String() }

// notifyEnding sends the signals that end a command to a channel, except ignored ones.
func notifyEnding(c chan<- os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
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

// app is the state that the commands share: their standard files and the demo's.
type app struct {
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	// implied: the command line named no command, so it means open.
	implied bool
	index   string // of the trace that a command reads, see traceFlags; "" for the one beside it
	from    string // the kind of the file that a command reads, see fromFlag; "" to recognize it
	noWrite bool   // the command writes nothing beside a trace
	untimed bool   // the answer was begun without the times that are there: see timely
	// demoFiles has the trace of the command demo, in testdata/demo, and the source of its program.
	demoFiles fs.FS
}

// terminal reports whether standard output is a terminal.
func (a *app) terminal() bool { return term.IsTerminal(int(a.stdout.Fd())) }

// missing names what the explorer needs and lacks; "" if nothing.
func (a *app) missing() string {
	switch {
	case !a.terminal():
		return "standard output is not a terminal"
	case !a.keyboard():
		return "no terminal to read keys from"
	case isDumb(os.Getenv("TERM")):
		return "the terminal cannot draw screens: TERM is " + cmp.Or(os.Getenv("TERM"), "not set")
	}
	return ""
}

// isDumb reports whether a terminal understands no sequences, by its name. Those of Windows have none.
func isDumb(name string) bool { return name == "dumb" || name == "" && runtime.GOOS != "windows" }

// keyboard reports whether there is a terminal to read keys from: standard input, or
// the terminal that controls the process.
func (a *app) keyboard() bool {
	if term.IsTerminal(int(a.stdin.Fd())) {
		return true
	}
	in, out, err := tea.OpenTTY()
	if err != nil {
		return false
	}
	in.Close()
	if out != in {
		out.Close()
	}
	return true
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

// rareMark marks commands and flags that help does not list, as a screen has few lines. The man page has
// them.
const rareMark = "rare"

// commands returns tracex's commands in the order of help: the most used first.
func commands(a *app) []*cobra.Command {
	bench := newBenchCommand(a)
	index, unpack, serve, config := newIndexCommand(a), newUnpackCommand(a), newServeCommand(a), newConfigCommand(a)
	for _, c := range []*cobra.Command{index, bench, unpack, serve, config} {
		c.Annotations = map[string]string{rareMark: "yes"}
	}
	return []*cobra.Command{
		newOpenCommand(a), newPrintCommand(a), newInfoCommand(a), newOverviewCommand(a), newTopCommand(a), newFindCommand(a), newCallsCommand(a), newCallersCommand(a), newThrowsCommand(a), newCompareCommand(a), newHistoryCommand(a), newStateCommand(a), newSourceCommand(a), newAroundCommand(a), newLogCommand(a), newFlameCommand(a), newNotesCommand(a), index,
		newPackCommand(a), unpack, newConvertCommand(a), newExportCommand(a), newRecordCommand(a), newBuildCommand(a), newAttachCommand(a), serve,
		newDemoCommand(a), config, newGuideCommand(a), bench,
	}
}

// traceCommands are the commands that read one trace, and only that.
var traceCommands = []string{
	"open", "print", "info", "overview", "top", "find", "calls", "callers", "throws", "compare", "history", "state", "source", "around", "log", "flame", "export",
}

// traceFlags adds to the commands that read a trace the flags that say how it is read.
func (a *app) traceFlags(list []*cobra.Command) {
	for _, c := range list {
		if name := c.Name(); name == "notes" || name == "pack" || name == "convert" || slices.Contains(traceCommands, name) {
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

// oneTrace checks that a command has exactly one argument, a file.
func (a *app) oneTrace(c *cobra.Command, args []string) error {
	if slices.Contains(args, "") {
		return &usageError{nameOf(c) + ": empty file name", "is a shell variable unset?"}
	}
	if a.implied && len(args) > 0 && !exists(args[0]) {
		near := c.Root().SuggestionsFor(args[0])
		switch {
		case slices.Contains(near, args[0]):
			return &usageError{"flags before the command " + args[0], "write tracex " + args[0] + " first, then its flags"}
		case len(near) > 0:
			return &usageError{"no file or command named " + args[0], "did you mean tracex " + near[0] + "?"}
		}
	}
	switch len(args) {
	case 0:
		return &usageError{nameOf(c) + " needs a file", c.CommandPath() + " FILE; for a file named " + c.Name() + ", write ./" + c.Name()}
	case 1:
		return nil
	}
	return &usageError{nameOf(c) + " takes one file, but got " + strings.Join(args, " "), usageHint(c)}
}

// noArguments checks that a command has no arguments.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &usageError{nameOf(c) + " takes no arguments, but got " + strings.Join(args, " "), usageHint(c)}
}

// nameOf returns the name of a command in messages, which begin with the program's.
func nameOf(c *cobra.Command) string { return strings.TrimPrefix(c.CommandPath(), "tracex ") }

// usageHint returns the advice for wrong arguments and flags of a command.
func usageHint(c *cobra.Command) string {
	return c.CommandPath() + " --help shows its arguments and flags"
}

// runner is the function that a command runs on a trace.
type runner func(ctx context.Context, path string) error

// onTrace turns a runner into a function for cobra.
func onTrace(run runner) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error { return run(c.Context(), args[0]) }
}

// version of tracex; CHANGELOG.md lists what is in each.
const version = "0.1.0"

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
