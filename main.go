// Command tracex is an interactive terminal explorer for method-call traces of
// any size. It opens what JetBrains Lincheck records (trace format versions 22 and 27).
//
// Each command has a file of its own here; what they do is in the packages lazy
// (reading) and ui (the screen).
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is the whole program; it returns the exit code.
func run(args []string) int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	// A reader that goes away (print | head) is an ordinary error of a write,
	// so that temporary files are still removed. To ignore the signal would
	// do, but an editor that is started would inherit it.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
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

// signalError is why a context ended: the program was told to stop.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string { return "stopped: " + e.signal.String() }

// untilSignal returns a context that the first interrupt, termination, hang-up or
// quit cancels, so that a command can give the terminal back and remove its
// temporary files. The second ends the program at once. Signals that are ignored (nohup) stay ignored.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	c := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
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
