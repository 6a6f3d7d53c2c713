package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// app is what the commands share: where they read and write.
type app struct {
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	// implied: the command line named no command, so open was meant.
	implied bool
	// demoFiles holds the trace of demo, in testdata/demo.
	demoFiles fs.FS
}

// terminal reports whether standard output is a terminal.
func (a *app) terminal() bool { return term.IsTerminal(int(a.stdout.Fd())) }

// missing says what the explorer cannot do without, "" when all is there.
func (a *app) missing() string {
	switch {
	case !a.terminal():
		return "standard output is no terminal"
	case !a.keyboard():
		return "there is no terminal to read keys from"
	}
	return ""
}

// keyboard reports whether there is a terminal to read keys from: where standard
// input is none, the one that controls the program.
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
		Short:   "Walk what a program did, call by call, in the terminal",
		Example: "tracex trace.bin   # explore a recorded trace",
		Args:    cobra.NoArgs,
		// A command or a trace, which open is not needed for.
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
	root.SilenceErrors, root.SilenceUsage = true, true // run reports them
	root.SuggestionsMinimumDistance = 2                // letters between a word and the command that was meant
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetHelpCommand(hiddenHelp())
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{plainFlagError(err), c.CommandPath() + " --help lists the flags"}
	})
	cobra.EnableCommandSorting = false
	root.AddCommand(a.commands()...)
	root.AddCommand(a.manCommand(root), exitCodes())
	root.InitDefaultCompletionCmd()
	strictCompletion(root)
	return root
}

// strictCompletion has the library's command for completion refuse what it does
// not know, rather than print help into a shell's configuration.
func strictCompletion(root *cobra.Command) {
	c, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic(err) // the library has no such command any more
	}
	var shells []string
	for _, shell := range c.Commands() {
		shell.Args = noArguments
		shells = append(shells, shell.Name())
	}
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return &usageError{"no completion for " + strings.Join(args, " "), "the shells are " + strings.Join(shells, ", ")}
	}
}

// commands are all of tracex's commands in the order of help: what is used
// most comes first.
func (a *app) commands() []*cobra.Command {
	bench := a.benchCommand()
	bench.Hidden = true // its help, the manual and the README have it; a screen has few lines
	return []*cobra.Command{
		a.openCommand(), a.printCommand(), a.infoCommand(), a.indexCommand(),
		a.packCommand(), a.unpackCommand(), a.convertCommand(), a.recordCommand(), a.serveCommand(),
		a.demoCommand(), bench,
	}
}

// plainFlagError says of a flag's wrong value what was expected, not how the
// library that reads it calls that.
func plainFlagError(err error) string {
	text := err.Error()
	var number *strconv.NumError
	if before, _, ok := strings.Cut(text, ": strconv."); ok && errors.As(err, &number) {
		return before + ": expected a number"
	} else if ok {
		return before + ": expected another kind of value"
	}
	return text
}

// exitCodes is a topic of help: tracex help exit-codes.
func exitCodes() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: manExit, Hidden: true}
}

// hiddenHelp is the help command; --help says it all, so it takes no line.
func hiddenHelp() *cobra.Command {
	return &cobra.Command{
		Use:    "help [command]",
		Short:  "Help about a command",
		Hidden: true,
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			if found, _, err := c.Root().Find(args); err == nil {
				for _, sub := range found.Commands() {
					if sub != c && !strings.HasPrefix(sub.Name(), "_") { // the shells' own
						names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return &usageError{"no command " + strings.Join(args, " "), "tracex --help lists the commands"}
			}
			return found.Help()
		},
	}
}

// impliedOpen puts "open" before arguments that name no command: tracex
// trace.bin is tracex open trace.bin. A file that is named like a command needs
// a folder before it: ./print.
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

// oneTrace checks that a command was given one argument.
func (a *app) oneTrace(c *cobra.Command, args []string) error {
	if slices.Contains(args, "") {
		return &usageError{c.CommandPath() + ": the name of the file is empty", "a variable may not be set"}
	}
	if a.implied && len(args) > 0 && !exists(args[0]) {
		if near := c.Root().SuggestionsFor(args[0]); len(near) > 0 {
			return &usageError{args[0] + " is neither a file nor a command",
				"did you mean tracex " + near[0] + "?"}
		}
	}
	switch len(args) {
	case 0:
		return &usageError{c.CommandPath() + ": which trace?", c.CommandPath() + " FILE; a file of that name is ./" + c.Name()}
	case 1:
		return nil
	}
	return &usageError{c.CommandPath() + ": one trace at a time", "the arguments were: " + strings.Join(args, " ")}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// runner is what a command does with its trace.
type runner func(ctx context.Context, path string) error

// onTrace makes a runner cobra's, with the one argument that it needs.
func onTrace(run runner) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error { return run(c.Context(), args[0]) }
}
