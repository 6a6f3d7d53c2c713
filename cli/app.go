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
	"slices"
	"strings"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tracex/format"
	"tracex/lazy"
)

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

// version of tracex; CHANGELOG.md lists what is in each.
const version = "0.1.0"

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

// width returns the width of the terminal that standard output is; 0 if it is none.
func (a *app) width() int {
	if w, _, err := term.GetSize(int(a.stdout.Fd())); err == nil && w > 0 {
		return w
	}
	return 0
}

// remark reports on standard error something that does not stop the command.
func (a *app) remark(what string, why error) {
	fmt.Fprintf(a.stderr, "tracex: %s: %s\n", what, printable(message(why)))
}

// remarkIndex remarks that the index of a trace is not used: one that was named on the command line, or one of
// another version than its data, as if files of two recordings were mixed up.
func remarkIndex(a *app, r *lazy.LazyTraceReader) {
	if why := r.Status().IndexReason; why != nil && a.index != "" || errors.Is(why, lazy.ErrIndexVersion) || errors.Is(why, format.ErrVersion) {
		a.remark("the index is ignored and rebuilt", why)
	}
}

// remarkFiles is remarkIndex for an answer that is not printed yet. The error is that its times are not of the trace,
// which was found while it was made.
func (a *app) remarkFiles(r *lazy.LazyTraceReader) error {
	remarkIndex(a, r)
	if a.untimed {
		return nil
	}
	return r.Status().TimesReason
}

// rareMark marks commands and flags that help does not list, as a screen has few lines. The man page has
// them.
const rareMark = "rare"

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

// notifyEnding sends the signals that end a command to a channel, except ignored ones.
func notifyEnding(c chan<- os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}
